//! `ninesixty doctor`: what an engine supports, and whether it gets Chess960 and the tricky positions right.

use clap::Args as ClapArgs;
use ninesixty::generator::doctor::{self, Chess960Support, Diagnosis, SHIELD_FEN};
use ninesixty::generator::{
    Claim, Claims, EngineInfo, Mismatch, Profile, UciCounter, VerifyOptions,
};
use ninesixty::table::{self, CommandText, Format, Table, escape_control};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::output::OutputArgs;
use super::signals::Signals;
use super::threads::ThreadsArgs;
use super::verify;

/// Examine an engine: what it supports, and whether it really plays Chess960
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Examples:
  ninesixty doctor 'uci:ninesixty uci'
  ninesixty doctor shakmaty --max-nodes 10000"))]
pub struct Args {
    /// The generator to examine, usually uci:COMMAND
    generator: String,
    /// Skip counts of the built-in suite `@tricky` that are larger than this
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_nodes: u64,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A labelled line of the page.
type ReportLine = (&'static str, String);

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.output.preflight(&table(args, &[]))?;
    let signals = Signals::install().or_unfinished()?;
    let diagnosis = examine(args, console, &signals)?;
    write(args, &diagnosis)?;
    Ok(if diagnosis.is_healthy() {
        Answer::Yes
    } else {
        Answer::No
    })
}

fn examine(args: &Args, console: &Console, signals: &Signals) -> Result<Diagnosis, Failure> {
    let claims = Claims::tricky();
    let max_nodes = u128::from(args.max_nodes);
    let chosen = claims.as_slice().iter();
    let count = chosen.filter(|claim| claim.nodes <= max_nodes).count() as u64;
    let progress = console.progress(count, count, "counts");
    let advance = |_: &Claim| progress.advance(1);
    let options = VerifyOptions {
        max_nodes,
        cancel: signals.cancel(),
        progress: Some(&advance),
    };
    let pool = args.threads.pool()?;
    let diagnosis = if let Some(command) = args.generator.strip_prefix("uci:") {
        let command_line = command.parse().or_usage()?;
        let engine = UciCounter::new(&args.generator, command_line, args.limits.limits());
        pool.install(|| doctor::examine_engine(&engine, &options))
    } else {
        let counter = args.limits.generator(&args.generator)?;
        pool.install(|| doctor::examine(counter.as_ref(), &options))
    };
    progress.finish();
    diagnosis.map_err(|error| Failure::of_counter(error, signals))
}

fn profile_lines(profile: &Profile) -> Vec<ReportLine> {
    let uses_hash = match profile.uses_hash {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    vec![
        ("Name", profile.identity.clone()),
        ("Protocol", profile.protocol.to_owned()),
        ("Hash table", uses_hash.to_owned()),
    ]
}

fn engine_lines(engine: &EngineInfo) -> Vec<ReportLine> {
    let author = engine.author.as_deref().unwrap_or("unknown");
    let options = &engine.options;
    vec![
        ("Command", engine.command_line.to_string()),
        ("Author", author.to_owned()),
        (
            "Options",
            format!("{}: {}", options.len(), options.join(", ")),
        ),
    ]
}

fn chess960_text(support: &Chess960Support) -> String {
    match support {
        Chess960Support::Supported => {
            format!("yes: {SHIELD_FEN} has the right number of moves")
        }
        Chess960Support::OptionTakesEffect { with, without } => {
            let without = without.map_or("none".to_owned(), |moves| moves.to_string());
            format!(
                "UCI_Chess960 takes effect: {SHIELD_FEN} has {with} moves with it and {without} without"
            )
        }
        Chess960Support::AlwaysOn => format!(
            "UCI_Chess960 is offered; {SHIELD_FEN} has the right number of moves with it and without"
        ),
        Chess960Support::OptionMissing => {
            "no: the option UCI_Chess960 is not offered, so only positions with classical castling are counted"
                .to_owned()
        }
        Chess960Support::Failed(error) => format!("NO: {}", error.message_with_sources()),
        Chess960Support::Wrong { found, expected } => format!(
            "NO: {SHIELD_FEN} has {expected} moves, and this generator finds {found}: UCI_Chess960 does not take effect, \
             or the castling rook is not removed before the king's squares are checked"
        ),
    }
}

fn table(args: &Args, mismatches: &[Mismatch]) -> Table {
    let command = CommandText::new("doctor")
        .quoted(&args.generator)
        .flag("--max-nodes", args.max_nodes);
    verify::table(command, mismatches, true)
}

/// Writes a page of text, or the table of mismatches in any other format.
fn write(args: &Args, diagnosis: &Diagnosis) -> Result<(), Failure> {
    let mismatches = &diagnosis.suite.mismatches;
    let table = table(args, mismatches);
    if !args.output.is_text() {
        return args.output.write(&table);
    }
    let mut lines = profile_lines(&diagnosis.profile);
    lines.extend(diagnosis.engine.iter().flat_map(engine_lines));
    lines.push(("Chess960", chess960_text(&diagnosis.chess960)));
    let (checked, summary) = (diagnosis.suite.checked, verify::summary(mismatches));
    lines.push(("Tricky suite", format!("{checked} counts: {summary}")));
    args.output.write_with(|out| {
        for (label, text) in &lines {
            writeln!(out, "{label:<20} {}", escape_control(text))?;
        }
        if !mismatches.is_empty() {
            writeln!(out)?;
            table::write(&table, Format::Text, out)?;
        }
        Ok(())
    })
}
