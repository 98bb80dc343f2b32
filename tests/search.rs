//! The embedded engine finds mates and draws, plays legal moves and is deterministic. The results of other UCI engines
//! are reported unchanged, and engines that misbehave end in a clear error.

mod common;
#[path = "common/example.rs"]
mod example;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Run, run, shell};
use example::example;
use ninesixty::chess::Board;
use ninesixty::run::Cancel;
use ninesixty::search::evaluation::{TERMS, evaluate};
use ninesixty::search::{Engine, Score, SearchLimits, SearchOptions, SearchResult};
use ninesixty::start::{BackRank, CastlingSide, Selection, StartId};
use ninesixty::table::read::read_epd;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};
use tempfile::tempdir;

const TT_BYTES: usize = 1 << 20;
const CLASSICAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn depth(depth: u32) -> SearchLimits {
    SearchLimits {
        depth: Some(depth),
        ..SearchLimits::default()
    }
}

fn nodes(nodes: u64) -> SearchLimits {
    SearchLimits {
        nodes: Some(nodes),
        ..SearchLimits::default()
    }
}

fn search_game(game: &[Board], limits: SearchLimits, multipv: usize) -> SearchResult {
    let options = SearchOptions {
        limits,
        multipv,
        ..SearchOptions::default()
    };
    Engine::new(TT_BYTES).search(game, &options, &mut |_| {})
}

fn search(fen: &str, limits: SearchLimits) -> SearchResult {
    search_game(&[fen.parse().unwrap()], limits, 1)
}

fn score(fen: &str, limits: SearchLimits) -> Score {
    search(fen, limits).lines[0].score
}

/// Positions around move 9 of a game from each start: every n-th of `data/fischer.epd`.
fn fischer(every: usize) -> Vec<Board> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/fischer.epd");
    let lines = read_epd(&path).unwrap();
    let boards = lines.iter().step_by(every);
    boards.map(|line| line.fen.parse().unwrap()).collect()
}

mod game_end {
    use super::*;

    /// All mates were verified by Stockfish 15.1, and those in one or two moves by brute force.
    #[test]
    fn mates_in_one_to_five_are_found() {
        for line in include_str!("mates.epd").lines() {
            let (fen, rest) = line.split_once(" dm ").unwrap();
            let mut operations = rest.split("; ");
            let moves: i32 = operations.next().unwrap().parse().unwrap();
            let board: Board = fen.parse().unwrap();
            let result = search_game(&[board], depth(2 * moves.unsigned_abs() + 6), 1);
            let best = &result.lines[0];
            assert_eq!(best.score, Score::Mate(moves), "{line}");
            let end = best.moves.iter().fold(board, |board, &mv| board.play(mv));
            assert!(end.is_check() && end.legal_moves().is_empty(), "{line}");
            if let Some(bm) = operations.find_map(|operation| operation.strip_prefix("bm ")) {
                assert_eq!(best.moves[0], board.parse_san(bm).unwrap(), "{line}");
            }
        }
    }

    #[test]
    fn mate_and_stalemate_at_the_root() {
        let mated = search("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", depth(5));
        assert_eq!(mated.lines[0].score, Score::Mate(0));
        assert!(mated.lines[0].moves.is_empty());
        let stalemated = search("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", depth(5));
        assert_eq!(stalemated.lines[0].score, Score::Centipawns(0));
        assert!(stalemated.lines[0].moves.is_empty());
    }

    #[test]
    fn stalemate_insufficient_material_and_perpetual_check_are_draws() {
        for fen in [
            // Every king move loses the pawn or stalemates Black.
            "5k2/5P2/4K3/8/8/8/8/8 w - - 0 1",
            "8/8/4k3/8/8/3NK3/8/8 w - - 0 1",
            "6k1/6p1/8/7Q/8/8/qr4PP/7K w - - 0 1",
        ] {
            assert_eq!(score(fen, depth(9)), Score::Centipawns(0), "{fen}");
        }
    }

    #[test]
    fn the_fifty_move_rule_yields_to_mate() {
        let draw = score("k7/8/8/8/8/8/8/K6R w - - 99 100", depth(6));
        assert_eq!(draw, Score::Centipawns(0));
        let mate = score("k7/8/1K6/8/8/8/8/7R w - - 99 100", depth(6));
        assert_eq!(mate, Score::Mate(1));
    }

    #[test]
    fn a_threefold_repetition_with_the_game_is_a_draw() {
        let mut game: Vec<Board> = vec![CLASSICAL.parse().unwrap()];
        for mv in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
            let board = *game.last().unwrap();
            game.push(board.play(board.parse_uci(mv).unwrap()));
        }
        let result = search_game(&game, depth(3), 40);
        let back = result
            .lines
            .iter()
            .find(|line| line.moves[0].to_string() == "f6g8");
        assert_eq!(back.unwrap().score, Score::Centipawns(0));
        let alone = search_game(&game[game.len() - 1..], depth(3), 40);
        let back = alone
            .lines
            .iter()
            .find(|line| line.moves[0].to_string() == "f6g8");
        assert_ne!(back.unwrap().score, Score::Centipawns(0));
    }
}

mod rules_and_limits {
    use super::*;

    fn assert_legal_in_shakmaty(board: &Board, result: &SearchResult) {
        for line in &result.lines {
            let fen: Fen = board.shredder_fen().parse().unwrap();
            let mut position: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
            for mv in &line.moves {
                let uci: UciMove = mv.to_string().parse().unwrap();
                let mv = uci.to_move(&position).unwrap();
                position = position.play(mv).unwrap();
            }
        }
    }

    #[test]
    fn lines_are_legal_from_starts_of_every_castling_method() {
        let mut methods = Vec::new();
        let starts = StartId::all().filter(|&start| {
            let back_rank = BackRank::from(start);
            let castlings = CastlingSide::ALL.map(|side| back_rank.castling(side).method());
            let is_another = !methods.contains(&castlings);
            methods.push(castlings);
            is_another
        });
        let starts: Vec<StartId> = starts.collect();
        assert!(starts.len() >= 4, "{starts:?}");
        for start in starts {
            let board = Board::from_start(start);
            assert_legal_in_shakmaty(&board, &search_game(&[board], nodes(8_000), 3));
        }
    }

    #[test]
    fn lines_are_legal_from_double_starts_and_middlegames() {
        let doubles: Selection = "518/0,11/879,340/7".parse().unwrap();
        let boards = doubles.doubles().map(Board::from_double_start);
        for board in boards.chain(fischer(16)) {
            assert_legal_in_shakmaty(&board, &search_game(&[board], nodes(3_000), 1));
        }
    }

    #[test]
    fn node_and_depth_limits_are_kept() {
        let result = search(CLASSICAL, nodes(5_000));
        assert_eq!(result.nodes, 5_000);
        let result = search(CLASSICAL, depth(4));
        assert_eq!(result.lines[0].depth, 4);
        let both = SearchLimits {
            depth: Some(3),
            ..nodes(1_000_000)
        };
        assert_eq!(search(CLASSICAL, both).lines[0].depth, 3);
    }

    #[test]
    fn a_cancelled_search_still_has_a_legal_move() {
        let board: Board = CLASSICAL.parse().unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let options = SearchOptions {
            cancel: &cancel,
            ..SearchOptions::default()
        };
        let result = Engine::new(TT_BYTES).search(&[board], &options, &mut |_| {});
        assert!(board.legal_moves().contains(&result.lines[0].moves[0]));
    }

    #[test]
    fn multipv_lines_are_distinct_and_best_first() {
        let board: Board = CLASSICAL.parse().unwrap();
        let result = search_game(&[board], depth(5), 4);
        let firsts: Vec<_> = result.lines.iter().map(|line| line.moves[0]).collect();
        let mut distinct = firsts.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!((firsts.len(), distinct.len()), (4, 4));
        let scores = result.lines.iter().map(|line| match line.score {
            Score::Centipawns(value) => value,
            Score::Mate(_) => panic!("{result:?}"),
        });
        assert!(scores.is_sorted_by(|a, b| a >= b));
        assert_eq!(search_game(&[board], depth(2), 500).lines.len(), 20);
    }
}

mod determinism {
    use super::*;

    #[test]
    fn a_search_does_not_depend_on_those_before_it() {
        let mut engine = Engine::new(TT_BYTES);
        let options = SearchOptions {
            limits: nodes(10_000),
            ..SearchOptions::default()
        };
        for board in fischer(96) {
            engine.clear();
            let again = engine.search(&[board], &options, &mut |_| {});
            assert_eq!(again, search_game(&[board], nodes(10_000), 1), "{board:?}");
        }
    }

    #[test]
    fn the_evaluation_is_symmetric_in_the_colours() {
        for board in fischer(1) {
            let value = evaluate(&TERMS, &board);
            assert_eq!(value, evaluate(&TERMS, &board.flipped()), "{board:?}");
        }
    }

    #[test]
    fn output_bytes_do_not_depend_on_threads_shards_or_a_resumed_run() {
        let args = [
            "search",
            "sample:24",
            "--depth",
            "5",
            "--format",
            "csv",
            "--quiet",
        ];
        let with = |more: &[&str]| run(&[&args[..], more].concat());
        let whole = with(&["--threads", "1"]);
        assert_eq!(whole.code, Some(0), "{}", whole.err);
        assert_eq!(whole.out.lines().count(), 25);
        assert_eq!(with(&["--threads", "3"]).out, whole.out);

        let directory = tempdir().unwrap();
        let ledgers = [1, 2].map(|shard| {
            let ledger = directory.path().join(format!("{shard}.jsonl"));
            let ledger = ledger.to_str().unwrap().to_owned();
            let part = with(&["--ledger", &ledger, "--shard", &format!("{shard}/2")]);
            assert_eq!(
                (part.code, part.out.as_str()),
                (Some(0), ""),
                "{}",
                part.err
            );
            ledger
        });
        let merged = run(&["merge", &ledgers[0], &ledgers[1], "--format", "csv"]);
        assert_eq!(merged.out, whole.out, "{}", merged.err);
        let resumed = with(&["--ledger", &ledgers[0]]);
        assert_eq!(resumed.out, whole.out, "{}", resumed.err);
        let other = run(&[
            "search",
            "sample:24",
            "--depth",
            "6",
            "--ledger",
            &ledgers[0],
        ]);
        assert_eq!(other.code, Some(2));
        assert!(other.err.contains("limits.depth is"), "{}", other.err);
    }
}

mod command_line {
    use super::*;

    fn refused(code: i32, args: &[&str]) -> String {
        let run = run(args);
        assert_eq!(run.code, Some(code), "{args:?}: {run:?}");
        run.err
    }

    #[test]
    fn search_usage_errors_exit_with_2() {
        for (args, named) in [
            (&["search", "518"][..], "--depth <PLIES>"),
            (&["search", "--depth", "0"], "'0'"),
            (&["search", "--depth", "101"], "101"),
            (&["search", "--nodes", "0"], "'0'"),
            (&["search", "--time", "0"], "is not a number of seconds"),
            (&["search", "--time", "-1"], "-1"),
            (&["search", "--time", "nan"], "is not a number of seconds"),
            (&["search", "--depth", "1", "--hash", "16"], "is not a size"),
            (&["search", "--depth", "1", "--engine", ""], "no program"),
            (
                &["search", "--depth", "1", "--engine-option", "Hash=1"],
                "--engine",
            ),
            (
                &[
                    "search",
                    "--depth",
                    "1",
                    "--engine",
                    "x",
                    "--engine-option",
                    "Hash",
                ],
                "is not NAME=VALUE",
            ),
            (&["search", "--from", "data/stockfish18.csv"], "--compare"),
            (&["search", "--depth", "1", "--fen", "8/8 w"], "8/8"),
        ] {
            assert!(refused(2, args).contains(named), "{args:?}");
        }
    }

    #[test]
    fn scores_are_for_white_whichever_side_moves() {
        let fen = "4k3/8/8/8/8/8/8/Q3K2R b - - 0 1";
        let Run { out, .. } = run(&["search", "--fen", fen, "--depth", "3", "--format", "csv"]);
        let score: i32 = out
            .lines()
            .nth(1)
            .unwrap()
            .split(',')
            .nth(3)
            .unwrap()
            .parse()
            .unwrap();
        assert!(score > 300, "{out}");
        let mate = "7k/8/8/8/8/8/5PPP/r5K1 w - - 0 1";
        let Run { out, .. } = run(&["search", "--fen", mate, "--depth", "3", "--format", "csv"]);
        assert!(
            out.lines().nth(1).unwrap().contains(",,,,0,,0,0,1000,0,0,"),
            "{out}"
        );
    }

    #[test]
    fn the_difference_of_the_most_distant_scores_is_exact() {
        let directory = tempdir().unwrap();
        let [a, b] = [0, 1].map(|id| Board::from_start(StartId::try_from(id).unwrap()).x_fen());
        let [ours, theirs] = [
            ("ours.csv", i32::MAX, i32::MIN),
            ("theirs.csv", i32::MIN, i32::MAX),
        ]
        .map(|(name, of_a, of_b)| {
            let path = directory.path().join(name);
            let rows = format!("fen,score_cp,best_move\n{a},{of_a},e2e4\n{b},{of_b},e2e4\n");
            fs::write(&path, rows).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let args = [
            "search",
            "--from",
            &ours,
            "--compare",
            &theirs,
            "--format",
            "csv",
        ];
        let Run { code, out, err } = run(&args);
        assert_eq!(code, Some(0), "{err}");
        for difference in [
            "2147483647,-2147483648,4294967295,",
            "-2147483648,2147483647,-4294967295,",
        ] {
            assert!(out.contains(difference), "{out}");
        }
    }

    #[test]
    fn tables_of_scores_are_compared() {
        let directory = tempdir().unwrap();
        let file = |name: &str, rows: &str| {
            let path = directory.path().join(name);
            fs::write(&path, format!("fen,score_cp,best_move\n{rows}")).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let fens = [0, 1, 2].map(|id| Board::from_start(StartId::try_from(id).unwrap()).x_fen());
        let [a, b, c] = &fens;
        let ours = file(
            "ours.csv",
            &format!("{a},10,e2e4\n{b},20,d2d4\n{c},60,c2c4\n"),
        );
        let theirs = file(
            "theirs.csv",
            &format!("{c},33,c2c4\n{a},11,e2e4\n{b},22,a2a4\n"),
        );
        let Run { code, out, err } = run(&[
            "search",
            "--from",
            &ours,
            "--compare",
            &theirs,
            "--most",
            "1",
            "--format",
            "csv",
        ]);
        assert_eq!(code, Some(0), "{err}");
        let expected = "3 positions compared: Pearson 0.945, Spearman 1.000, mean difference +8.0 cp, same best move in 2 of 3\n";
        assert_eq!(err, expected);
        assert_eq!(
            out,
            format!(
                "id,back_rank,fen,score_cp,other_score_cp,difference,best_move,other_best_move\n2,BQNNRBKR,{c},60,33,27,c2c4,c2c4\n"
            )
        );
        let steady = directory.path().join("steady.csv");
        let rows = format!("{a},30,e2e4,11\n{b},20,d2d4,22\n{c},10,c2c4,33\n");
        fs::write(&steady, format!("fen,score_cp,best_move,steady_cp\n{rows}")).unwrap();
        let steady = steady.to_str().unwrap();
        let compared = run(&["search", "--from", steady, "--compare", &theirs]);
        let expected = "Spearman -1.000, mean difference -2.0 cp, same best move in 2 of 3; steady scores: Pearson 1.000, Spearman 1.000\n";
        assert!(compared.err.ends_with(expected), "{}", compared.err);

        let searched = run(&["search", "0-2", "--depth", "2", "--compare", &theirs]);
        assert!(
            searched.err.starts_with("3 positions compared: "),
            "{}",
            searched.err
        );

        for (rows, named) in [
            (
                format!("{a},x,e2e4\n"),
                "\"x\" is not a score in centipawns",
            ),
            (
                format!("{a},1,e2e4\n{a},2,e2e4\n"),
                "the position of line 2 again",
            ),
            (format!("{a},1,e2e4\n"), "too few to compare"),
            ("8/8 w,1,e2e4\n".to_owned(), "line 2"),
        ] {
            let wrong = file("wrong.csv", &rows);
            let message = refused(3, &["search", "--from", &ours, "--compare", &wrong]);
            assert!(message.contains(named), "{message}");
        }
    }
}

mod uci_engines {
    use super::*;

    fn fake(behaviour: &str) -> String {
        format!("'{}' {behaviour}", example("fake_engine").display())
    }

    #[test]
    fn the_results_of_another_engine_are_reported() {
        let engine = fake("healthy");
        let args = [
            "search", "0-5", "--depth", "3", "--engine", &engine, "--format", "csv",
        ];
        let Run { code, out, err } = run(&args);
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(out.lines().count(), 7);
        assert!(
            out.lines()
                .skip(1)
                .all(|row| row.contains(" w KQkq - 0 1,3,")),
            "{out}"
        );
    }

    #[test]
    fn an_engine_without_chess960_or_a_requested_option_is_refused() {
        for (engine, more, named) in [
            ("no-960", &[][..], "does not offer the option UCI_Chess960"),
            (
                "healthy",
                &["--engine-option", "Hash=1"],
                "does not offer the option Hash",
            ),
            (
                "healthy",
                &["--multipv", "2"],
                "does not offer the option MultiPV",
            ),
        ] {
            let engine = fake(engine);
            let args = ["search", "0-5", "--depth", "3", "--engine", &engine];
            let run = run(&[&args, more].concat());
            assert_eq!(run.code, Some(2), "{}", run.err);
            assert!(run.err.contains(named), "{}", run.err);
        }
    }

    #[test]
    fn a_position_whose_engine_fails_is_reported_and_the_others_are_searched() {
        let lost = Board::from_start(StartId::try_from(2).unwrap()).x_fen();
        let board = lost.split(' ').next().unwrap();
        let engine = fake(&format!("dies-on {board}"));
        let directory = tempdir().unwrap();
        let ledger = directory.path().join("l.jsonl");
        let ledger = ledger.to_str().unwrap();
        let args = [
            "search", "0-5", "--depth", "3", "--format", "csv", "--engine", &engine, "--ledger",
            ledger,
        ];
        let Run { code, out, err } = run(&args);
        assert_eq!(code, Some(4), "{err}");
        assert_eq!(out.lines().count(), 7);
        assert!(out.contains(&format!("2,BQNNRBKR,{lost},,,")), "{out}");
        assert!(
            err.contains("the engine failed on 1 of 6 positions: 2;"),
            "{err}"
        );
        assert!(err.contains("king is on the board"), "{err}");
        let kept = fs::read_to_string(ledger).unwrap();
        // The header, the run and five positions.
        assert_eq!(kept.lines().count(), 2 + 5);
    }

    /// The promise: a ledger is never continued by another engine, whatever it calls itself.
    #[test]
    fn two_engines_of_one_name_do_not_share_a_ledger() {
        let directory = tempdir().unwrap();
        let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let (engine, ledger) = (place("engine"), place("ledger"));
        let original = example("fake_engine");
        fs::copy(&original, &engine).unwrap();
        let command = format!("'{engine}' healthy");
        let args = |selection| {
            [
                "search", selection, "--depth", "2", "--engine", &command, "--ledger", &ledger,
            ]
        };
        let first = run(&args("0-1"));
        assert_eq!(first.code, Some(0), "{}", first.err);
        // The same name and answers in another program.
        let mut other = fs::read(&original).unwrap();
        other.extend(b"another build");
        fs::write(&engine, other).unwrap();
        let refused = run(&args("0-3"));
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""));
        assert!(
            refused.err.contains("different settings") && refused.err.contains("files"),
            "{}",
            refused.err
        );
        fs::copy(&original, &engine).unwrap();
        let continued = run(&args("0-3"));
        assert_eq!(continued.code, Some(0), "{}", continued.err);
        assert!(
            continued
                .err
                .contains("2 of 4 positions are already finished")
        );
    }

    #[test]
    fn an_engine_that_dies_once_is_restarted() {
        let directory = tempdir().unwrap();
        let log = directory.path().join("log");
        let engine = fake(&format!("dies-once '{}'", log.display()));
        let args = [
            "search",
            "0-2",
            "--depth",
            "3",
            "--engine",
            &engine,
            "--threads",
            "1",
        ];
        let Run { code, err, .. } = run(&args);
        assert_eq!(code, Some(0), "{err}");
    }

    /// The fake engine's best move is the last one in its list, and the score that it gives is that of the first.
    #[test]
    fn a_best_move_without_a_score_of_its_own_is_a_failure() {
        for (behaviour, named) in [
            ("other-best", "no score before it is that of this move"),
            ("lowest-score", "there was no score before it"),
        ] {
            let engine = fake(behaviour);
            let args = [
                "search", "0", "--depth", "3", "--engine", &engine, "--format", "csv",
            ];
            let Run { code, out, err } = run(&args);
            assert_eq!(code, Some(4), "{behaviour}: {out}{err}");
            assert!(err.contains(named), "{behaviour}: {err}");
            assert!(
                out.trim_end().ends_with(" w KQkq - 0 1,,,,,,,,,,,"),
                "{out}"
            );
        }
    }

    #[test]
    fn an_engine_that_answers_twice_is_heard_once() {
        let table = |behaviour: &str| {
            let engine = fake(behaviour);
            let args = [
                "search", "0-20", "--depth", "3", "--engine", &engine, "--format", "csv",
            ];
            let Run { code, out, err } = run(&args);
            assert_eq!(code, Some(0), "{behaviour}: {err}");
            out
        };
        assert_eq!(table("answers-twice"), table("healthy"));
    }

    #[test]
    fn engines_that_crash_hang_or_answer_nonsense_fail_cleanly() {
        for (behaviour, named) in [
            ("crashes", "king is on the board"),
            ("hangs", "gave no answer"),
            ("endless", "with more than"),
            ("garbage", "the move is not legal"),
        ] {
            let engine = fake(behaviour);
            let args = [
                "search",
                "0",
                "--depth",
                "3",
                "--timeout",
                "2",
                "--engine",
                &engine,
            ];
            let Run { code, err, .. } = run(&args);
            assert_eq!(code, Some(4), "{behaviour}: {err}");
            let silent = "gave no answer";
            assert!(
                err.contains(named) || err.contains(silent),
                "{behaviour}: {err}"
            );
        }
    }

    fn stockfish() -> Option<String> {
        let named = std::env::var("STOCKFISH").ok();
        let mut candidates = named
            .into_iter()
            .chain(["stockfish", "/usr/games/stockfish"].map(str::to_owned));
        candidates.find(|program| Command::new(program).arg("quit").output().is_ok())
    }

    /// The table was made by a script that talks to Stockfish directly.
    #[test]
    fn stockfish_in_parallel_reproduces_the_published_table() {
        let Some(stockfish) = stockfish() else {
            eprintln!("skipped: Stockfish is not installed");
            return;
        };
        let args = [
            "search",
            "sample:6",
            "--depth",
            "18",
            "--engine",
            &stockfish,
            "--engine-option",
            "Hash=64",
            "--compare",
            "data/stockfish18.csv",
        ];
        let Run { code, err, .. } = run(&args);
        assert_eq!(code, Some(0), "{err}");
        if is_version_15_1(&stockfish) {
            let expected =
                "Pearson 1.000, Spearman 1.000, mean difference +0.0 cp, same best move in 6 of 6";
            assert!(err.contains(expected), "{err}");
        }
    }

    fn is_version_15_1(stockfish: &str) -> bool {
        let output = Command::new(stockfish).arg("uci").output().unwrap();
        String::from_utf8_lossy(&output.stdout).contains("Stockfish 15.1")
    }
}

mod uci_server {
    use super::*;

    fn uci(commands: &str) -> String {
        let output = shell("ninesixty uci")
            .write_stdin(commands)
            .output()
            .unwrap();
        let Run { code, out, err } = output.into();
        assert_eq!(code, Some(0), "{err}");
        out
    }

    #[test]
    fn go_is_answered_with_info_lines_and_a_best_move() {
        let out =
            uci("setoption name MultiPV value 2\nposition startpos moves e2e4\ngo depth 4\nquit\n");
        assert!(out.contains("info depth 4 multipv 2 score cp "), "{out}");
        let best = out.lines().last().unwrap();
        let best = best.strip_prefix("bestmove ").unwrap();
        let board: Board = CLASSICAL.parse().unwrap();
        let board = board.play(board.parse_uci("e2e4").unwrap());
        assert!(board.parse_uci(best).is_ok(), "{out}");
    }

    #[test]
    fn every_limit_of_go_ends_the_search() {
        for go in [
            "nodes 1000",
            "movetime 20",
            "depth 3 nodes 100000000",
            "wtime 1000 btime 1000 winc 10 binc 10",
            "wtime 1000 btime 1000 movestogo 3",
            "infinite\nstop",
            "infinite",
        ] {
            let out = uci(&format!("ucinewgame\nposition startpos\ngo {go}\n"));
            assert_eq!(out.matches("bestmove ").count(), 1, "{go}: {out}");
        }
    }

    #[test]
    fn castling_is_written_as_king_takes_rook_in_chess960() {
        let position = "position fen 4R3/6R1/8/5k2/8/8/8/6KR w K - 0 1\ngo depth 3\n";
        let out = uci(&format!(
            "setoption name UCI_Chess960 value true\n{position}"
        ));
        assert!(out.ends_with("bestmove g1h1\n"), "{out}");
        let mate = "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\ngo depth 3\n";
        assert!(uci(mate).ends_with("bestmove (none)\n"));
    }

    #[test]
    fn invalid_commands_are_reported_and_survived() {
        let out = uci("setoption name Hash value 0\ngo depth x\ngo sideways\nisready\n");
        assert!(out.contains("Hash is a number from 1 to 65536"), "{out}");
        assert!(out.contains("depth needs a number, not \"x\""), "{out}");
        assert!(out.contains("go does not know \"sideways\""), "{out}");
        assert!(out.ends_with("readyok\n"), "{out}");
    }
}
