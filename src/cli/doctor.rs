//! `ninesixty doctor`: what an engine supports, whether it plays Chess960, and how it does on the tricky positions.

use std::path::Path;

use clap::Args as ClapArgs;
use ninesixty::chess::Board;
use ninesixty::generator::UciCounter;
use ninesixty::generator::{Ask, Counter, CounterError, Profile};
use ninesixty::perft::CountError;
use ninesixty::run::Stop;
use ninesixty::table::read::parse_epd;
use ninesixty::table::{self, Format, reveal};
use ninesixty::uci::{CommandLine, Engine, EngineError};

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::output::OutputArgs;
use super::verify::{self, Difference};

/// The suite that comes with the program.
const TRICKY: &str = include_str!("../../data/tricky.epd");
/// The rook on b1 is all that screens the king from the rook on a1, so castling is not legal; by the classical rules,
/// where that cannot be, an engine does not look.
const SCREEN: &str = "4k3/8/8/8/8/8/8/rRK5 w B - 0 1";

/// Examine an engine: what it supports, and whether it really plays Chess960
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Examples:
  ninesixty doctor 'uci:ninesixty uci'
  ninesixty doctor shakmaty --max-nodes 10000"))]
pub struct Args {
    /// The generator to examine, most likely uci:COMMAND
    generator: String,
    /// Leave out counts of the suite that are larger than this
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_nodes: u64,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

type Fact = (&'static str, String);

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let stop = Stop::install().or_unfinished()?;
    let failed = |error| Failure::of_counter(error, &stop);
    let counter = args.limits.generator(&args.generator)?;
    let is_stopped = || stop.is_set();
    let ask = Ask {
        is_stopped: &is_stopped,
        ..Ask::default()
    };
    let profile = counter.profile(&ask).map_err(failed)?;
    let mut facts = facts_of_profile(&profile);
    if let Some(command) = args.generator.strip_prefix("uci:") {
        facts.extend(facts_of_engine(args, &command.parse().or_usage()?, &stop)?);
    }
    let chess960 = examine_chess960(args, counter.as_ref(), &profile, &ask).map_err(failed)?;
    facts.push(("Chess960", chess960.words()));
    let differences = run_suite(args, counter.as_ref(), console, &stop, &mut facts)?;
    write(args, &facts, &differences)?;
    let is_healthy = chess960.is_healthy() && differences.is_empty();
    Ok(if is_healthy { Answer::Yes } else { Answer::No })
}

fn facts_of_engine(args: &Args, command: &CommandLine, stop: &Stop) -> Result<Vec<Fact>, Failure> {
    let engine = Engine::start(command, args.limits.limits(), &|| stop.is_set());
    let engine = engine.map_err(|error| match error {
        EngineError::Stopped => Failure::counting(CountError::Stopped, stop),
        error => Failure::Unfinished(error.into()),
    })?;
    let options = engine.options();
    Ok(vec![
        ("Command", command.to_string()),
        ("Author", engine.author().unwrap_or("not told").to_owned()),
        (
            "Options",
            format!("{}: {}", options.len(), options.join(", ")),
        ),
    ])
}

fn facts_of_profile(profile: &Profile) -> Vec<Fact> {
    let hashed = match profile.is_hashed {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not told",
    };
    vec![
        ("Name", profile.identity.clone()),
        ("Asked by", profile.asked_by.to_owned()),
        ("Remembers positions", hashed.to_owned()),
    ]
}

/// Whether a generator plays Chess960.
enum Chess960 {
    Plays,
    /// So many moves with the option and without it, where the two games differ; without it the position may be
    /// refused.
    TakesEffect {
        with: u128,
        without: Option<u128>,
    },
    /// The right number of moves either way.
    Always,
    NotOffered,
    Wrong {
        found: u128,
        expected: u128,
    },
    /// No number at all, for this reason.
    Fails(String),
}

impl Chess960 {
    fn is_healthy(&self) -> bool {
        matches!(
            self,
            Chess960::Plays | Chess960::TakesEffect { .. } | Chess960::Always
        )
    }

    fn words(&self) -> String {
        match self {
            Chess960::Plays => format!("yes: {SCREEN} has the right number of moves"),
            Chess960::TakesEffect { with, without } => {
                let without = without.map_or("none".to_owned(), |moves| moves.to_string());
                format!("UCI_Chess960 takes effect: {SCREEN} has {with} moves with it and {without} without")
            }
            Chess960::Always => format!(
                "UCI_Chess960 is offered; {SCREEN} has the right number of moves with it and without"
            ),
            Chess960::NotOffered => {
                "no: the option UCI_Chess960 is not offered, so only positions with classical castling are counted".to_owned()
            }
            Chess960::Fails(reason) => format!("NO: {reason}"),
            Chess960::Wrong { found, expected } => format!(
                "NO: {SCREEN} has {expected} moves, and this generator finds {found}: UCI_Chess960 does not take effect, \
                 or castling is not looked at with the rook lifted"
            ),
        }
    }
}

fn examine_chess960(
    args: &Args,
    counter: &dyn Counter,
    profile: &Profile,
    ask: &Ask,
) -> Result<Chess960, CounterError> {
    if !profile.knows_chess960 {
        return Ok(Chess960::NotOffered);
    }
    let board: Board = SCREEN.parse().expect("the position is legal");
    let expected = u128::from(board.count_moves());
    let with = match counter.count(&board, 1, ask) {
        Ok(moves) => moves,
        Err(error @ (CounterError::Refused { .. } | CounterError::Failed { .. })) => {
            return Ok(Chess960::Fails(format!("{:#}", anyhow::Error::new(error))));
        }
        Err(error) => return Err(error),
    };
    if with != expected {
        return Ok(Chess960::Wrong {
            found: with,
            expected,
        });
    }
    let Some(command) = args
        .generator
        .strip_prefix("uci:")
        .and_then(|command| command.parse().ok())
    else {
        return Ok(Chess960::Plays);
    };
    let classical = UciCounter::without_chess960(&args.generator, command, args.limits.limits());
    Ok(match classical.count(&board, 1, ask) {
        Ok(without) if without == with => Chess960::Always,
        Ok(without) => Chess960::TakesEffect {
            with,
            without: Some(without),
        },
        // It may refuse or die over a position that its game does not have: an effect as well.
        Err(CounterError::Refused { .. } | CounterError::Failed { .. }) => Chess960::TakesEffect {
            with,
            without: None,
        },
        Err(error) => return Err(error),
    })
}

fn run_suite(
    args: &Args,
    counter: &dyn Counter,
    console: &Console,
    stop: &Stop,
    facts: &mut Vec<Fact>,
) -> Result<Vec<Difference>, Failure> {
    let path = Path::new("data/tricky.epd");
    let entries = parse_epd(path, TRICKY.as_bytes()).or_input()?;
    let mut claims = verify::claims_of(path, entries)?;
    claims.retain(|claim| claim.nodes() <= args.max_nodes.into());
    let progress = console.progress(claims.len() as u64, claims.len() as u64, "counts");
    let pool = args.threads.pool()?;
    let differences = pool
        .install(|| verify::check(&claims, counter, stop, |_| progress.advance(1)))
        .map_err(|error| Failure::of_counter(error, stop))?;
    progress.finish();
    let outcome = verify::outcome(&differences);
    facts.push((
        "Tricky suite",
        format!("{} counts: {outcome}", claims.len()),
    ));
    Ok(differences)
}

/// A page for people; for programs the table of differences.
fn write(args: &Args, facts: &[Fact], differences: &[Difference]) -> Result<(), Failure> {
    let command = format!("doctor '{}' --max-nodes {}", args.generator, args.max_nodes);
    let findings = verify::table(&command, differences, true);
    if !args.output.is_text() {
        return args.output.write(&findings);
    }
    args.output.write_with(|out| {
        for (name, fact) in facts {
            writeln!(out, "{name:<20} {}", reveal(fact))?;
        }
        if !differences.is_empty() {
            writeln!(out)?;
            table::write(&findings, Format::Text, out)?;
        }
        Ok(())
    })
}
