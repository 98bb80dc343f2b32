//! `ninesixty verify`: published counts, checked one by one, by any generator.

mod suite;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args as ClapArgs;
use ninesixty::chess::Board;
use ninesixty::generator::{Ask, Counter, CounterError};
use ninesixty::perft::Sharing;
use ninesixty::run::Stop;
use ninesixty::table::read::{EpdLine, Sheet, read_epd};
use ninesixty::table::{self, Cell, Table};
use rayon::prelude::*;

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::output::OutputArgs;
use super::perft::DEEPEST;
use super::positions::Named;
use suite::SuiteArgs;

/// Check the counts of an EPD suite or of a perft table; list every difference
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Examples:
  ninesixty verify data/tricky.epd --max-nodes 1000000
  ninesixty verify data/fischer.epd --max-nodes 1000000 --format csv
  ninesixty verify --write mine.epd --starts sample:10 --depth 3 --generator shakmaty"))]
pub struct Args {
    /// An EPD file with fields such as `;D1 20 ;D2 400`, or a CSV file as `perft` writes it
    #[arg(value_name = "TABLE|EPD", required_unless_present_any = ["starts", "fen"])]
    file: Option<PathBuf>,
    /// The generator to count with
    #[arg(long, value_name = "GENERATOR", default_value = "own")]
    generator: String,
    /// Leave out counts that are larger than this
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A published count.
#[derive(Clone)]
pub struct Claim {
    line: usize,
    board: Board,
    depth: u32,
    nodes: u128,
}

/// A published count and what was found instead.
pub struct Difference {
    claim: Claim,
    found: Found,
}

/// What a generator made of a position.
enum Found {
    Nodes(u128),
    /// It gave no count, because it refuses the position or fails on it.
    Nothing(String),
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    if args.suite.is_wanted() {
        return suite::write(args, console);
    }
    let counter = args.limits.generator(&args.generator)?;
    let file = args
        .file
        .as_deref()
        .expect("without --write there is a file");
    let mut claims = read_claims(file)?;
    let published = claims.len();
    let limit = args.max_nodes.map_or(u128::MAX, u128::from);
    claims.retain(|claim| claim.nodes <= limit);
    if claims.is_empty() {
        let path = file.display();
        return Err(anyhow!(
            "{path}: none of its {published} counts is within --max-nodes"
        ))
        .or_usage();
    }
    let command = command(args, file);
    let is_foreign = args.generator != "own";
    args.output.rehearse(&table(&command, &[], is_foreign))?;
    let pool = args.threads.pool()?;
    let total = nodes_of(&claims);
    let progress = console.progress(claims.len() as u64, capped(total), "counts");
    let stop = Stop::install().or_unfinished()?;
    let done = |claim: &Claim| progress.advance(capped(claim.nodes));
    let differences = pool
        .install(|| check(&claims, counter.as_ref(), &stop, done))
        .map_err(|error| Failure::of_counter(error, &stop))?;
    progress.finish();
    args.output
        .write_findings(&table(&command, &differences, is_foreign))?;
    let (checked, skipped) = (claims.len(), published - claims.len());
    console.say(format!(
        "{checked} counts checked, {skipped} left out, {total} nodes: {}",
        outcome(&differences)
    ));
    Ok(if differences.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// The flags that decide the result.
fn command(args: &Args, file: &Path) -> String {
    let limit = args
        .max_nodes
        .map_or(String::new(), |limit| format!(" --max-nodes {limit}"));
    let generator = match args.generator.as_str() {
        "own" => String::new(),
        name => format!(" --generator '{name}'"),
    };
    format!("verify '{}'{limit}{generator}", file.display())
}

/// How many counts differ and how many there are not, in words.
pub fn outcome(differences: &[Difference]) -> String {
    let is_count = |difference: &&Difference| matches!(difference.found, Found::Nodes(_));
    let differing = differences.iter().filter(is_count).count();
    match (differing, differences.len() - differing) {
        (0, 0) => "all agree".to_owned(),
        (differing, 0) => format!("{differing} differ"),
        (0, refused) => format!("{refused} refused or failed, the others agree"),
        (differing, refused) => format!("{differing} differ, {refused} refused or failed"),
    }
}

fn nodes_of(claims: &[Claim]) -> u128 {
    let nodes = claims.iter().map(|claim| claim.nodes);
    nodes.fold(0, u128::saturating_add)
}

/// A number of nodes as progress is measured, where a wrong count may be beyond measure.
fn capped(nodes: u128) -> u64 {
    u64::try_from(nodes).unwrap_or(u64::MAX)
}

/// Counts every claim again and gives those that are not what was claimed.
pub fn check(
    claims: &[Claim],
    counter: &dyn Counter,
    stop: &Stop,
    done: impl Fn(&Claim) + Sync,
) -> Result<Vec<Difference>, CounterError> {
    let is_stopped = || stop.is_set();
    let ask = Ask {
        sharing: Sharing::Pool,
        is_stopped: &is_stopped,
        ..Ask::default()
    };
    let check = |claim: &Claim| {
        let found = match counter.count(&claim.board, claim.depth, &ask) {
            Ok(nodes) => Found::Nodes(nodes),
            Err(CounterError::Refused { reason, .. }) => {
                Found::Nothing(format!("refused: {reason}"))
            }
            Err(CounterError::Failed { source, .. }) => Found::Nothing(format!("failed: {source}")),
            Err(error) => return Err(error),
        };
        done(claim);
        let agrees = matches!(found, Found::Nodes(nodes) if nodes == claim.nodes);
        Ok((!agrees).then(|| Difference {
            claim: claim.clone(),
            found,
        }))
    };
    let checked = claims.par_iter().with_max_len(1).map(check);
    let checked = checked.collect::<Result<Vec<_>, CounterError>>()?;
    Ok(checked.into_iter().flatten().collect())
}

/// The differences, with a column for the reasons of a generator that may refuse or fail.
pub fn table(command: &str, differences: &[Difference], with_reasons: bool) -> Table {
    type Column = table::Column<Difference>;
    let mut columns = vec![
        Column::new("line", |row| Cell::Integer(row.claim.line as i64)),
        Column::new("fen", |row| row.claim.board.x_fen().into()),
        Column::new("depth", |row| Cell::Integer(row.claim.depth.into())),
        Column::new("expected", |row| row.claim.nodes.into()),
        Column::new("found", |row| match row.found {
            Found::Nodes(nodes) => nodes.into(),
            Found::Nothing(_) => Cell::Missing,
        }),
    ];
    if with_reasons {
        columns.push(Column::new("reason", |row| match &row.found {
            Found::Nodes(_) => Cell::Missing,
            Found::Nothing(reason) => reason.as_str().into(),
        }));
    }
    Table::from_rows("ninesixty.verify/1", command, &columns, differences)
}

fn read_claims(path: &Path) -> Result<Vec<Claim>, Failure> {
    let claims = if is_csv(path) {
        read_table(path)?
    } else {
        read_suite(path)?
    };
    if claims.is_empty() {
        return Err(anyhow!("{}: it holds no counts", path.display())).or_input();
    }
    if let Some(Claim { line, depth, .. }) = claims.iter().find(|claim| claim.depth > DEEPEST) {
        let path = path.display();
        return Err(anyhow!(
            "{path}, line {line}: depth {depth} is beyond {DEEPEST}, the deepest that is counted"
        ))
        .or_input();
    }
    Ok(claims)
}

/// The positions of a table or suite, whatever counts it has.
fn read_positions(path: &Path) -> Result<Vec<Named<Board>>, Failure> {
    let mut boards = Vec::new();
    if is_csv(path) {
        let sheet = Sheet::read(path).or_input()?;
        let fen = sheet.position("fen").or_input()?;
        for record in sheet.records() {
            boards.push(read_board(path, record.line, &record.fields[fen])?);
        }
    } else {
        for entry in read_epd(path).or_input()? {
            boards.push(read_board(path, entry.line, &entry.fen)?);
        }
    }
    Ok(boards.into_iter().map(Named::of).collect())
}

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "csv")
}

fn read_suite(path: &Path) -> Result<Vec<Claim>, Failure> {
    claims_of(path, read_epd(path).or_input()?)
}

/// The claims of a suite that came from `path`.
pub fn claims_of(path: &Path, entries: Vec<EpdLine>) -> Result<Vec<Claim>, Failure> {
    let mut claims = Vec::new();
    for entry in entries {
        let board = read_board(path, entry.line, &entry.fen)?;
        claims.extend(entry.counts.into_iter().map(|(depth, nodes)| Claim {
            line: entry.line,
            board,
            depth,
            nodes,
        }));
    }
    Ok(claims)
}

impl Claim {
    pub fn nodes(&self) -> u128 {
        self.nodes
    }
}

fn read_table(path: &Path) -> Result<Vec<Claim>, Failure> {
    let sheet = Sheet::read(path).or_input()?;
    let fen = sheet.position("fen").or_input()?;
    let depths = sheet.depths();
    let mut claims = Vec::new();
    for record in sheet.records() {
        let board = read_board(path, record.line, &record.fields[fen])?;
        for &(column, depth) in &depths {
            if let Some(nodes) = sheet.count(record, column).or_input()? {
                claims.push(Claim {
                    line: record.line,
                    board,
                    depth,
                    nodes,
                });
            }
        }
    }
    Ok(claims)
}

fn read_board(path: &Path, line: usize, fen: &str) -> Result<Board, Failure> {
    fen.parse()
        .with_context(|| format!("{}, line {line}: {fen}", path.display()))
        .or_input()
}
