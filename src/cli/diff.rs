//! `ninesixty diff`: finds the smallest position in which two generators disagree.

use std::sync::Mutex;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::random::{random_game_position, random_placement};
use ninesixty::chess::{Board, Move};
use ninesixty::diff::{
    self, BranchDifference, Cause, CounterPair, DiffEvent, DiffOptions, DiffReport, Disagreement,
    explain,
};
use ninesixty::generator::{MoveLine, MoveLineBuf};
use ninesixty::job::{Depth, NamedPosition, Positions};
use ninesixty::table::{Cell, CommandText, Table};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::output::OutputArgs;
use super::positions::PositionArgs;
use super::progress::Progress;
use super::show::draw;
use super::signals::Signals;
use super::threads::ThreadsArgs;

/// Find the smallest position in which two generators disagree, and the move
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Examples:
  ninesixty diff --b shakmaty --epd @tricky
  ninesixty diff --b 'uci:ninesixty uci' 0-9 --depth 2
  ninesixty diff --a own --b shakmaty --random 1000 --depth 2"))]
pub struct Args {
    /// Generator A, usually one that is trusted
    #[arg(long, value_name = "GENERATOR", default_value = "own")]
    a: String,
    /// Generator B, usually the one to test
    #[arg(long, value_name = "GENERATOR")]
    b: String,
    #[command(flatten)]
    positions: PositionArgs,
    /// Compare N random positions instead of starts: half from random games, half composed
    #[arg(long, value_name = "N", conflicts_with_all = ["selection", "fen", "epd"], value_parser = value_parser!(u32).range(1..=10_000_000))]
    random: Option<u32>,
    /// Seed of the random positions
    #[arg(long, value_name = "N", default_value_t = 960, requires = "random")]
    seed: u64,
    /// Compare the counts of 1, 2, … up to this many plies, at most 20
    #[arg(short, long, value_name = "PLIES", default_value_t = 3, value_parser = value_parser!(u32).range(1..=Depth::MOST.into()))]
    depth: u32,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.output.refuse_overwrite(args.positions.file())?;
    let a = args.limits.generator(&args.a)?;
    let b = args.limits.generator(&args.b)?;
    let pair = CounterPair {
        a: a.as_ref(),
        b: b.as_ref(),
    };
    let (command, positions) = read_positions(args)?;
    args.output.preflight(&table(command.clone(), None))?;
    let signals = Signals::install().or_unfinished()?;
    let report = find(args, console, &pair, &positions, &signals)?;
    match report {
        DiffReport::Agree {
            positions,
            nodes,
            refused,
        } => {
            args.output.write_results(&table(command, None))?;
            let depth = args.depth;
            for refusal in &refused {
                console.warn(refusal.error.to_string());
            }
            console.info(format!(
                "{} and {} agree about {positions} positions to depth {depth}: {nodes} sequences of {depth} plies",
                args.a, args.b
            ));
            console.info(limits_of_agreement(args));
            if refused.is_empty() {
                return Ok(Answer::Yes);
            }
            console.info(format!("{} positions were refused", refused.len()));
        }
        DiffReport::Disagree {
            index,
            depth,
            disagreement,
        } => {
            let report = Report {
                pair: &pair,
                position: &positions[index],
                depth,
                disagreement: &disagreement,
            };
            report.write(args, command, console)?;
        }
        DiffReport::Inconsistent { index, .. } => {
            let (a, b, position) = (&args.a, &args.b, &positions[index].name);
            return Err(anyhow!(
                "{a} and {b} disagreed about {position} and then agreed about it: one of them is not deterministic"
            ))
            .or_unfinished();
        }
    }
    Ok(Answer::No)
}

/// What agreement does not cover, and the flags that cover more.
fn limits_of_agreement(args: &Args) -> String {
    let depth = args.depth;
    let plies = if depth == 1 { "ply" } else { "plies" };
    let deeper = (depth < Depth::MOST).then(|| format!(" (--depth {})", depth + 1));
    let positions = ["--epd @tricky", "--random 1000"];
    let is_used = [args.positions.file().is_some(), args.random.is_some()];
    let unused = positions.iter().zip(is_used).filter(|(_, used)| !used);
    let unused: Vec<&str> = unused.map(|(flag, _)| *flag).collect();
    format!(
        "not covered: mistakes that need more than {depth} {plies} to show{}, and other positions ({})",
        deeper.unwrap_or_default(),
        unused.join(", ")
    )
}

/// The positions to compare, and the command that compares them.
fn read_positions(args: &Args) -> Result<(CommandText, Vec<NamedPosition<Board>>), Failure> {
    let command = CommandText::new("diff")
        .quoted_flag("--a", Some(&args.a))
        .quoted_flag("--b", Some(&args.b));
    let Some(count) = args.random else {
        let positions: Positions<Board> = args.positions.read()?;
        let command = command
            .word(positions.arguments())
            .flag("--depth", args.depth);
        let mut positions: Vec<NamedPosition<Board>> = positions.iter().cloned().collect();
        for (position, fen) in positions.iter_mut().zip(args.positions.fens()) {
            position.text = Some(fen.clone());
        }
        return Ok((command, positions));
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    let draw = |number: u32| {
        let board = if number.is_multiple_of(2) {
            random_game_position(&mut random)
        } else {
            random_placement(&mut random)
        };
        NamedPosition::of(board)
    };
    let command = command
        .flag("--random", count)
        .flag("--seed", args.seed)
        .flag("--depth", args.depth);
    Ok((command, (0..count).map(draw).collect()))
}

/// Compares all positions, with a progress bar for each depth.
fn find(
    args: &Args,
    console: &Console,
    pair: &CounterPair,
    positions: &[NamedPosition<Board>],
    signals: &Signals,
) -> Result<DiffReport, Failure> {
    let lines: Vec<MoveLineBuf> = positions.iter().map(line_to).collect();
    let count = lines.len() as u64;
    let bar = Mutex::new(None::<Progress>);
    let progress = |event| {
        let mut bar = bar.lock().expect("nothing panics while it holds the lock");
        match event {
            DiffEvent::DepthStarted(depth) => {
                if let Some(bar) = bar.take() {
                    bar.finish();
                }
                console.detail(format!("comparing at depth {depth}"));
                *bar = Some(console.progress(count, count, "positions"));
            }
            DiffEvent::PositionDone => bar.iter().for_each(|bar| bar.advance(1)),
        }
    };
    let options = DiffOptions {
        depth: args.depth,
        cancel: signals.cancel(),
        progress: Some(&progress),
    };
    let pool = args.threads.pool()?;
    let report = pool.install(|| diff::find_after_lines(pair, &lines, &options));
    let bar = bar.into_inner();
    if let Some(bar) = bar.expect("nothing panics while it holds the lock") {
        bar.finish();
    }
    report.map_err(|error| Failure::of_counter(error, signals))
}

/// The position as the generators are asked about it.
fn line_to(position: &NamedPosition<Board>) -> MoveLineBuf {
    let line = position.text.as_ref().and_then(|fen| fen.parse().ok());
    line.unwrap_or_else(|| position.board.into())
}

/// A disagreement and the position where it was found.
struct Report<'a> {
    pair: &'a CounterPair<'a>,
    position: &'a NamedPosition<Board>,
    depth: u32,
    disagreement: &'a Disagreement,
}

impl Report<'_> {
    /// Writes a page of text, or a table with one row in any other format.
    fn write(&self, args: &Args, command: CommandText, console: &Console) -> Result<(), Failure> {
        if !args.output.is_text() {
            return args.output.write(&table(command, Some(self)));
        }
        let page = self.page(console.has_color(args.output.is_terminal()));
        args.output
            .write_with(|out| Ok(out.write_all(page.as_bytes())?))
    }

    fn page(&self, color: bool) -> String {
        let Disagreement {
            path,
            cause,
            reproduction,
        } = self.disagreement;
        let line = MoveLine {
            board: &self.position.board,
            moves: path,
        };
        let mut lines = vec![
            ("A", self.pair.a.name().to_owned()),
            ("B", self.pair.b.name().to_owned()),
            ("Position", self.root()),
            ("Depth", self.depth.to_string()),
            ("Path", san(&line)),
            ("Leads to", line.end().x_fen()),
            ("Smallest", reproduction.board.x_fen()),
        ];
        if !reproduction.moves.is_empty() {
            lines.push(("Then", san(&reproduction.line())));
        }
        let mut page = match cause {
            Cause::Failure { error, .. } => format!("{}\n\n", error.message_with_sources()),
            _ => "A and B disagree\n\n".to_owned(),
        };
        for (label, text) in lines {
            page += &format!("{label:<9} {text}\n");
        }
        page += &format!("\n{}\n", draw(&reproduction.line().end(), color));
        page += &match cause {
            Cause::Moves(difference) => self.different_moves(difference),
            Cause::Counts { depth, difference } => different_counts(*depth, difference),
            Cause::Failure { depth: 1, .. } => {
                "It fails when it is asked for the moves.\n".to_owned()
            }
            Cause::Failure { depth, .. } => format!("It fails when it counts {depth} plies.\n"),
        };
        page
    }

    fn root(&self) -> String {
        let NamedPosition { name, board, .. } = self.position;
        match board.double_start() {
            Some(_) => format!("start {name}: {}", board.x_fen()),
            None => name.clone(),
        }
    }

    fn different_moves(&self, difference: &BranchDifference) -> String {
        let line = self.disagreement.reproduction.line();
        let mut page = String::new();
        for (name, moves) in [("A", &difference.only_a), ("B", &difference.only_b)] {
            for mv in moves {
                let explanation = explain(&line, mv);
                page += &format!("Only {name} has {mv:<5}  {explanation}\n");
            }
        }
        page
    }
}

fn different_counts(depth: u32, difference: &BranchDifference) -> String {
    let mut page = format!(
        "The moves are the same here and in every position below, but the counts at depth {depth} differ: one of the two \
         makes or unmakes a move wrongly, or has a faulty hash table.\n"
    );
    for (mv, in_a, in_b) in &difference.counts {
        page += &format!("{mv:<5}  A: {in_a}, B: {in_b}\n");
    }
    page
}

/// The moves of a line in SAN.
fn san(line: &MoveLine) -> String {
    if line.moves.is_empty() {
        "-".to_owned()
    } else {
        line.board.san_line(line.moves)
    }
}

fn table(command: CommandText, report: Option<&Report>) -> Table {
    let columns = [
        "a",
        "b",
        "position",
        "depth",
        "path",
        "reached_fen",
        "fen",
        "then",
        "only_a",
        "only_b",
        "failure",
    ];
    let mut table = Table::new("ninesixty.diff/1", command, columns);
    if let Some(report) = report {
        table.push(report.row());
    }
    table
}

impl Report<'_> {
    fn row(&self) -> Vec<Cell> {
        let Disagreement {
            path,
            cause,
            reproduction,
        } = self.disagreement;
        let uci = |moves: &[Move]| {
            let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
            moves.join(" ")
        };
        let root = &self.position.board;
        let (only_a, only_b, failure) = match cause {
            Cause::Moves(difference) => (
                difference.only_a.join(" "),
                difference.only_b.join(" "),
                None,
            ),
            Cause::Counts { .. } => (String::new(), String::new(), None),
            Cause::Failure { error, .. } => (
                String::new(),
                String::new(),
                Some(error.message_with_sources()),
            ),
        };
        vec![
            self.pair.a.name().into(),
            self.pair.b.name().into(),
            self.position.name.as_str().into(),
            u64::from(self.depth).into(),
            uci(path).into(),
            MoveLine {
                board: root,
                moves: path,
            }
            .end()
            .x_fen()
            .into(),
            reproduction.board.x_fen().into(),
            uci(&reproduction.moves).into(),
            only_a.into(),
            only_b.into(),
            failure.into(),
        ]
    }
}
