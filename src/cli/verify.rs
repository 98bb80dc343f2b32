//! `ninesixty verify`: published counts, checked one by one.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args as ClapArgs;
use ninesixty::chess::Board;
use ninesixty::perft::{CountError, Sharing, unmerged};
use ninesixty::run::Stop;
use ninesixty::table::read::{Sheet, read_epd};
use ninesixty::table::{self, Cell, Table};
use rayon::prelude::*;

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::output::OutputArgs;
use super::perft::DEEPEST;

/// Check the counts of an EPD suite or of a perft table; list every difference
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty verify data/tricky.epd --max-nodes 1000000
  ninesixty verify data/fischer.epd --max-nodes 1000000 --format csv")]
pub struct Args {
    /// An EPD file with fields such as `;D1 20 ;D2 400`, or a CSV file as `perft` writes it
    #[arg(value_name = "TABLE|EPD")]
    file: PathBuf,
    /// Leave out counts that are larger than this
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A published count.
#[derive(Clone)]
struct Claim {
    line: usize,
    board: Board,
    depth: u32,
    nodes: u128,
}

/// A published count and what we found instead.
struct Difference {
    claim: Claim,
    found: u128,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let mut claims = read_claims(&args.file)?;
    let published = claims.len();
    let limit = args.max_nodes.map_or(u128::MAX, u128::from);
    claims.retain(|claim| claim.nodes <= limit);
    if claims.is_empty() {
        let path = args.file.display();
        return Err(anyhow!(
            "{path}: none of its {published} counts is within --max-nodes"
        ))
        .or_usage();
    }
    let limit = args
        .max_nodes
        .map_or(String::new(), |limit| format!(" --max-nodes {limit}"));
    let command = format!("verify '{}'{limit}", args.file.display());
    args.output.rehearse(&table(&command, &[]))?;
    let pool = args.threads.pool()?;
    let nodes = claims.iter().map(|claim| claim.nodes);
    let total = nodes.fold(0, u128::saturating_add);
    let progress = console.progress(claims.len() as u64, capped(total), "counts");
    let stop = Stop::install().or_unfinished()?;
    let done = |claim: &Claim| progress.advance(capped(claim.nodes));
    let differences = pool
        .install(|| check(&claims, &stop, done))
        .map_err(|error| Failure::counting(error, &stop))?;
    progress.finish();
    args.output.write_findings(&table(&command, &differences))?;
    let (checked, skipped) = (claims.len(), published - claims.len());
    let outcome = match differences.len() {
        0 => "all agree".to_owned(),
        count => format!("{count} differ"),
    };
    console.say(format!(
        "{checked} counts checked, {skipped} left out, {total} nodes: {outcome}"
    ));
    Ok(if differences.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// A number of nodes as progress is measured, where a wrong count may be beyond measure.
fn capped(nodes: u128) -> u64 {
    u64::try_from(nodes).unwrap_or(u64::MAX)
}

fn check(
    claims: &[Claim],
    stop: &Stop,
    done: impl Fn(&Claim) + Sync,
) -> Result<Vec<Difference>, CountError> {
    let check = |claim: &Claim| {
        let found = unmerged(&claim.board, claim.depth, Sharing::Pool, &|| stop.is_set())?;
        done(claim);
        Ok((found != claim.nodes).then(|| Difference {
            claim: claim.clone(),
            found,
        }))
    };
    let checked = claims.par_iter().with_max_len(1).map(check);
    let checked = checked.collect::<Result<Vec<_>, CountError>>()?;
    Ok(checked.into_iter().flatten().collect())
}

fn table(command: &str, differences: &[Difference]) -> Table {
    type Column = table::Column<Difference>;
    let columns = [
        Column::new("line", |row| Cell::Integer(row.claim.line as i64)),
        Column::new("fen", |row| row.claim.board.x_fen().into()),
        Column::new("depth", |row| Cell::Integer(row.claim.depth.into())),
        Column::new("expected", |row| row.claim.nodes.into()),
        Column::new("found", |row| row.found.into()),
    ];
    Table::from_rows("ninesixty.verify/1", command, &columns, differences)
}

fn read_claims(path: &Path) -> Result<Vec<Claim>, Failure> {
    let claims = if path.extension().is_some_and(|extension| extension == "csv") {
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

fn read_suite(path: &Path) -> Result<Vec<Claim>, Failure> {
    let mut claims = Vec::new();
    for entry in read_epd(path).or_input()? {
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
