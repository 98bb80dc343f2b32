//! `ninesixty verify`: checks published perft counts with any generator.

mod suite;

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args as ClapArgs;
use ninesixty::generator::{Claim, Claims, Mismatch, MismatchKind, VerifyOptions, verify};
use ninesixty::job::Depth;
use ninesixty::table::{self, Cell, CommandText, Table};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::input_path::input_path;
use super::output::OutputArgs;
use super::signals::Signals;
use super::threads::ThreadsArgs;
use suite::SuiteArgs;

/// Check the perft counts of an EPD suite or a table, and list every mismatch
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Examples:
  ninesixty verify @tricky --max-nodes 1000000
  ninesixty verify @fischer --max-nodes 1000000 --format csv
  ninesixty verify @perft960 --max-nodes 1000000
  ninesixty verify --write mine.epd --starts sample:10 --depth 3 --generator shakmaty"))]
pub struct Args {
    /// An EPD file with operations such as `;D1 20 ;D2 400`, or a CSV file in the format of `perft`; `@tricky`, `@fischer`
    /// and `@perft960` are built in
    #[arg(value_name = "TABLE|EPD", value_parser = input_path(), required_unless_present_any = ["starts", "fen"])]
    file: Option<PathBuf>,
    /// The generator to count with
    #[arg(long, value_name = "GENERATOR", default_value = "own")]
    generator: String,
    /// Skip counts that are larger than this
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

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    if args.suite.is_wanted() {
        return suite::write(args, console);
    }
    let counter = args.limits.generator(&args.generator)?;
    let file = args
        .file
        .as_deref()
        .expect("clap requires a file without --write");
    args.output.refuse_overwrite([file])?;
    let claims = Claims::read(file).or_input()?;
    let max_nodes = args.max_nodes.map_or(u128::MAX, u128::from);
    let (count, nodes) = check_claims(file, &claims, max_nodes)?;
    let command = command(args, file);
    let has_reasons = args.generator != "own";
    args.output
        .preflight(&table(command.clone(), &[], has_reasons))?;
    let pool = args.threads.pool()?;
    let progress = console.progress(count, capped(nodes), "counts");
    let signals = Signals::install().or_unfinished()?;
    let advance = |claim: &Claim| progress.advance(capped(claim.nodes));
    let options = VerifyOptions {
        max_nodes,
        cancel: signals.cancel(),
        progress: Some(&advance),
    };
    let report = pool
        .install(|| verify(&claims, counter.as_ref(), &options))
        .map_err(|error| Failure::of_counter(error, &signals))?;
    progress.finish();
    args.output
        .write_results(&table(command, &report.mismatches, has_reasons))?;
    console.info(format!(
        "{} counts checked, {} skipped, {} nodes: {}",
        report.checked,
        report.skipped,
        report.nodes,
        summary(&report.mismatches)
    ));
    Ok(if report.mismatches.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// The number of claims to check and the sum of their nodes. It is an error if there are none, or if one is deeper than
/// this program counts.
fn check_claims(path: &Path, claims: &Claims, max_nodes: u128) -> Result<(u64, u128), Failure> {
    let claims = claims.as_slice();
    let path = path.display();
    if let Some(Claim { line, depth, .. }) = claims.iter().find(|claim| claim.depth > Depth::MOST) {
        return Err(anyhow!(
            "{path}, line {line}: depth {depth} is beyond the maximum, {}",
            Depth::MOST
        ))
        .or_input();
    }
    let chosen = claims.iter().filter(|claim| claim.nodes <= max_nodes);
    let (count, nodes) = chosen.fold((0, 0_u128), |(count, nodes), claim| {
        (count + 1, nodes.saturating_add(claim.nodes))
    });
    if count == 0 {
        let published = claims.len();
        return Err(anyhow!(
            "{path}: none of its {published} counts is within --max-nodes"
        ))
        .or_usage();
    }
    Ok((count, nodes))
}

/// The flags that decide the result.
fn command(args: &Args, file: &Path) -> CommandText {
    let generator = Some(&args.generator).filter(|name| *name != "own");
    CommandText::new("verify")
        .quoted(file.display())
        .optional_flag("--max-nodes", args.max_nodes)
        .quoted_flag("--generator", generator)
}

/// How many counts differ and how many are missing, in words.
pub fn summary(mismatches: &[Mismatch]) -> String {
    let is_count = |mismatch: &&Mismatch| matches!(mismatch.found, MismatchKind::Count(_));
    let differing = mismatches.iter().filter(is_count).count();
    match (differing, mismatches.len() - differing) {
        (0, 0) => "all agree".to_owned(),
        (differing, 0) => format!("{differing} differ"),
        (0, refused) => format!("{refused} refused or failed, the others agree"),
        (differing, refused) => format!("{differing} differ, {refused} refused or failed"),
    }
}

/// The weight of a count in a progress bar. A wrong table may claim more than fits 64 bits.
fn capped(nodes: u128) -> u64 {
    u64::try_from(nodes).unwrap_or(u64::MAX)
}

/// The table of mismatches. With `has_reasons` it has a column that says why a generator refused a position or failed.
pub fn table(command: CommandText, mismatches: &[Mismatch], has_reasons: bool) -> Table {
    type Column = table::Column<Mismatch>;
    let mut columns = vec![
        Column::new("line", |row| Cell::Integer(row.claim.line as i64)),
        Column::new("fen", |row| row.claim.board.x_fen().into()),
        Column::new("depth", |row| Cell::Integer(row.claim.depth.into())),
        Column::new("expected", |row| row.claim.nodes.into()),
        Column::new("found", |row| match row.found {
            MismatchKind::Count(nodes) => nodes.into(),
            MismatchKind::Refused(_) | MismatchKind::Failed(_) => Cell::Missing,
        }),
    ];
    if has_reasons {
        columns.push(Column::new("reason", |row| match &row.found {
            MismatchKind::Count(_) => Cell::Missing,
            MismatchKind::Refused(reason) => format!("refused: {reason}").into(),
            MismatchKind::Failed(reason) => format!("failed: {reason}").into(),
        }));
    }
    Table::from_rows("ninesixty.verify/1", command, &columns, mismatches)
}
