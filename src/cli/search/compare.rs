//! `--compare`: how well two tables of scores agree, and where they do not.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args as ClapArgs;
use ninesixty::chess::Board;
use ninesixty::search::{Agreement, Score};
use ninesixty::table::read::Sheet;
use ninesixty::table::{Column, Table};

use super::super::console::Console;
use super::super::exit::{Answer, Failure, OrFail};
use super::super::output::OutputArgs;
use super::super::positions;
use super::Args;
use super::Named;
use super::findings::Row;

#[derive(ClapArgs)]
pub struct CompareArgs {
    /// Compare the scores with those of a table (CSV with `fen`, `score_cp`, `best_move`, perhaps `steady_cp`), and list where they differ most
    #[arg(long, value_name = "TABLE")]
    pub compare: Option<PathBuf>,
    /// Take the scores from this table instead of searching
    #[arg(long, value_name = "TABLE", requires = "compare",
          conflicts_with_all = ["selection", "fen", "epd", "depth", "nodes", "time", "multipv", "ledger", "shard", "engine"])]
    from: Option<PathBuf>,
    /// List so many of the positions that differ most
    #[arg(long, value_name = "N", default_value_t = 10, requires = "compare")]
    most: usize,
}

/// Two tables, if both are given.
pub struct Tables<'a> {
    ours: &'a Path,
    theirs: &'a Path,
}

/// What one table says about a position.
struct Judged {
    board: Board,
    centipawns: Option<i32>,
    steady: Option<i32>,
    best_move: Option<String>,
}

/// A position on which both tables have a score in centipawns.
struct Pair {
    named: Named,
    ours: i32,
    theirs: i32,
    /// The steady scores, if either table has one.
    steady: Option<(i32, i32)>,
    our_move: Option<String>,
    their_move: Option<String>,
}

impl CompareArgs {
    pub fn given(&self) -> Option<Tables<'_>> {
        Some(Tables {
            ours: self.from.as_deref()?,
            theirs: self.compare.as_deref()?,
        })
    }

    /// Fails where the comparison could not be made or written.
    pub fn rehearse(&self, output: &OutputArgs) -> Result<(), Failure> {
        if let Some(path) = &self.compare {
            read(path)?;
        }
        output.rehearse(&table("", &[]))
    }
}

/// Compares two tables.
pub fn run_tables(tables: Tables, args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.compare.rehearse(&args.output)?;
    let command = format!(
        "search --from '{}' --compare '{}'",
        tables.ours.display(),
        tables.theirs.display()
    );
    compare(&command, read(tables.ours)?, tables.theirs, args, console)?;
    Ok(Answer::Yes)
}

/// Compares what was just found with a table.
pub fn run(rows: &[Row], args: &Args, console: &Console) -> Result<(), Failure> {
    let judged = rows.iter().map(|row| {
        let line = row.finding.as_ref().map(|found| &found.lines[0]);
        let board = row.named.board;
        let centipawns = |score: Score| score.for_white(board.turn()).centipawns();
        Judged {
            board,
            centipawns: line.and_then(|line| centipawns(line.score)),
            steady: row
                .finding
                .as_ref()
                .and_then(|found| centipawns(found.steady?)),
            best_move: line.and_then(|line| Some(line.moves.first()?.to_string())),
        }
    });
    let theirs = args.compare.compare.as_deref();
    let theirs = theirs.expect("somebody asked for a comparison");
    let command = format!(
        "search {} --compare '{}'",
        args.positions.typed(),
        theirs.display()
    );
    compare(&command, judged.collect(), theirs, args, console)
}

fn compare(
    command: &str,
    ours: Vec<Judged>,
    theirs: &Path,
    args: &Args,
    console: &Console,
) -> Result<(), Failure> {
    let count = ours.len();
    let mut pairs = pair_up(ours, read(theirs)?);
    if pairs.len() < 2 {
        return Err(anyhow!(
            "{}: only {} of {count} positions have a score in both tables, too few to compare",
            theirs.display(),
            pairs.len()
        ))
        .or_input();
    }
    let summary = describe(&pairs, count);
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.ours.abs_diff(pair.theirs)));
    pairs.truncate(args.compare.most);
    args.output.write(&table(command, &pairs))?;
    console.say(summary);
    Ok(())
}

fn pair_up(ours: Vec<Judged>, theirs: Vec<Judged>) -> Vec<Pair> {
    let mut theirs: HashMap<String, Judged> = theirs
        .into_iter()
        .map(|judged| (judged.board.shredder_fen(), judged))
        .collect();
    let pairs = ours.into_iter().filter_map(|ours| {
        let theirs = theirs.remove(&ours.board.shredder_fen())?;
        let scores = (ours.centipawns?, theirs.centipawns?);
        let has_steady = ours.steady.or(theirs.steady).is_some();
        let steady = |judged: &Judged, score| judged.steady.unwrap_or(score);
        Some(Pair {
            named: Named::of(ours.board),
            steady: has_steady.then(|| (steady(&ours, scores.0), steady(&theirs, scores.1))),
            ours: scores.0,
            theirs: scores.1,
            our_move: ours.best_move,
            their_move: theirs.best_move,
        })
    });
    pairs.collect()
}

fn describe(pairs: &[Pair], count: usize) -> String {
    let agreement = agreement(pairs.iter().map(|pair| (pair.ours, pair.theirs)));
    let moves = pairs
        .iter()
        .filter(|pair| pair.our_move.is_some() && pair.their_move.is_some());
    let (mut both, mut same) = (0, 0);
    for pair in moves {
        both += 1;
        same += usize::from(pair.our_move == pair.their_move);
    }
    let left_out = count - pairs.len();
    let left_out = if left_out > 0 {
        format!(" ({left_out} left out)")
    } else {
        String::new()
    };
    format!(
        "{} positions compared{left_out}: Pearson {:.3}, Spearman {:.3}, mean difference {:+.1} cp, same best move in {same} of {both}{}",
        pairs.len(),
        agreement.pearson,
        agreement.spearman,
        agreement.mean_difference,
        describe_steady(pairs)
    )
}

/// Nothing where there are too few steady scores to compare.
fn describe_steady(pairs: &[Pair]) -> String {
    let steady = || pairs.iter().filter_map(|pair| pair.steady);
    if steady().count() < 2 {
        return String::new();
    }
    let Agreement {
        pearson, spearman, ..
    } = agreement(steady());
    format!("; steady scores: Pearson {pearson:.3}, Spearman {spearman:.3}")
}

fn agreement(scores: impl Iterator<Item = (i32, i32)>) -> Agreement {
    let scores = scores.map(|(ours, theirs)| (ours.into(), theirs.into()));
    Agreement::of(&scores.collect::<Vec<(f64, f64)>>())
}

fn read(path: &Path) -> Result<Vec<Judged>, Failure> {
    let sheet = Sheet::read(path).or_input()?;
    let fen = sheet.position("fen").or_input()?;
    let score = sheet.position("score_cp").or_input()?;
    let steady = sheet.position("steady_cp").ok();
    let best_move = sheet.position("best_move").or_input()?;
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut judged = Vec::new();
    for record in sheet.records() {
        let field = |column: usize| record.fields[column].as_str();
        let place = || format!("{}, line {}", path.display(), record.line);
        let board: Board = field(fen).parse().with_context(place).or_input()?;
        // Of several lines of one position the first is the best.
        if let Some(first) = lines.insert(board.shredder_fen(), record.line) {
            if sheet.position("rank").is_ok() {
                continue;
            }
            let again = anyhow!("the position of line {first} again").context(place());
            return Err(again).or_input();
        }
        let centipawns = |column: usize| match field(column) {
            "" => Ok(None),
            text => text
                .parse()
                .map(Some)
                .map_err(|_| anyhow!("{text:?} is not a score in centipawns"))
                .with_context(place)
                .or_input(),
        };
        judged.push(Judged {
            board,
            centipawns: centipawns(score)?,
            steady: steady.map_or(Ok(None), centipawns)?,
            best_move: Some(field(best_move))
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
        });
    }
    Ok(judged)
}

fn table(command: &str, pairs: &[Pair]) -> Table {
    let mut columns = positions::naming_columns(|pair: &Pair| &pair.named);
    columns.extend([
        Column::new("score_cp", |pair: &Pair| i64::from(pair.ours).into()),
        Column::new("other_score_cp", |pair: &Pair| {
            i64::from(pair.theirs).into()
        }),
        Column::new("difference", |pair: &Pair| {
            i64::from(pair.ours - pair.theirs).into()
        }),
        Column::new("best_move", |pair: &Pair| pair.our_move.clone().into()),
        Column::new("other_best_move", |pair: &Pair| {
            pair.their_move.clone().into()
        }),
    ]);
    Table::from_rows("ninesixty.compare/1", command, &columns, pairs)
}
