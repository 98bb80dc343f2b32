//! `ninesixty bench`: generators timed beside each other, on positions of every kind.
//!
//! Generators and positions walk in; every generator counts every position once to warm up, and then in rounds in which
//! all take their turns, so that a busy moment hits all alike. Every count is checked, in every round. Out walk the
//! medians, how they compare to the first generator, and why to doubt them.

mod figures;
mod spread;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::Board;
use ninesixty::generator::split_names;
use ninesixty::generator::{Ask, Counter, LastMoves, Profile};
use ninesixty::perft::Sharing;
use ninesixty::run::Stop;
use ninesixty::table::{self, Format};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::output::OutputArgs;
use super::perft::DEEPEST;
use super::positions::{Named, PositionArgs};
use figures::Figures;

/// Time generators beside each other, with every count checked
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Without a SELECTION, --fen or --epd the positions are a spread of openings, middlegames, endgames and promotions.

Examples:
  ninesixty bench --generators own,shakmaty,cozy-chess --depth 3 --rounds 3
  ninesixty bench 518,0 --generators own,cozy-chess --depth 4 --rounds 5 --format csv"))]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// The generators, parted by commas; the others are compared to the first
    #[arg(
        short,
        long,
        value_name = "GENERATORS",
        default_value = "own,shakmaty,cozy-chess"
    )]
    generators: String,
    /// The depth to count to [default: 5; in the spread, what takes each position about as long]
    #[arg(short, long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..=DEEPEST.into()))]
    depth: Option<u32>,
    /// Time so many rounds instead of as many as it takes
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    rounds: Option<u32>,
    /// Time no new round after so many seconds, however unsteady the figures are
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u32,
    /// Write every time that was taken to this file too: .csv, .json or .md; may be given more than once
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Something to be counted.
pub struct Case {
    pub name: String,
    pub board: Board,
    pub depth: u32,
    /// The right number, where it is known beforehand.
    pub nodes: Option<u128>,
}

/// A generator, and what it does with the last moves.
pub struct Entrant<'a> {
    counter: &'a dyn Counter,
    /// `None` where it does as it likes.
    last_moves: Option<LastMoves>,
}

/// Rounds before there is a median to speak of, where nobody says how many.
const FEWEST_ROUNDS: usize = 5;
/// The figures are steady when the medians are known to this part of themselves.
const STEADY: f64 = 0.01;

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let exports = exports(&args.export)?;
    let names = split_names(&args.generators).or_usage()?;
    let counters = names.iter().map(|name| args.limits.generator(name));
    let counters = counters.collect::<Result<Vec<_>, Failure>>()?;
    let cases = cases(args)?;
    let stop = Stop::install().or_unfinished()?;
    let is_stopped = || stop.is_set();
    let ask = Ask {
        is_stopped: &is_stopped,
        ..Ask::default()
    };
    let profiles = counters.iter().map(|counter| counter.profile(&ask));
    let profiles = profiles.collect::<Result<Vec<Profile>, _>>();
    let profiles = profiles.map_err(|error| Failure::of_counter(error, &stop))?;
    let entrants = entrants(&counters, &profiles);
    let load = load_average();
    let bench = Bench {
        cases: &cases,
        entrants: &entrants,
        stop: &stop,
    };
    let figures = match bench.measure(args, console) {
        Ok(figures) => figures,
        Err(Halt::Failure(failure)) => return Err(failure),
        Err(Halt::Quarrel(quarrel)) => {
            console.alarm(quarrel);
            return Ok(Answer::No);
        }
    };
    for (path, format) in &exports {
        let raw = figures.raw_table(&command(args));
        table::store(path, |out| table::write(&raw, *format, out)).or_unfinished()?;
    }
    write(
        args,
        console,
        &figures,
        &rules(&counters, &profiles, figures.rounds()),
    )?;
    for doubt in figures.doubts(load) {
        console.say(format!("warning: {doubt}"));
    }
    Ok(Answer::Yes)
}

fn exports(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Format)>, Failure> {
    let export = |path: &PathBuf| {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => Format::Csv,
            Some("json") => Format::Json,
            Some("md") => Format::Md,
            _ => {
                let path = path.display();
                return Err(anyhow!(
                    "{path}: the name of an export ends in .csv, .json or .md"
                ))
                .or_usage();
            }
        };
        table::check_store(path).or_unfinished()?;
        Ok((path.clone(), format))
    };
    paths.iter().map(export).collect()
}

fn cases(args: &Args) -> Result<Vec<Case>, Failure> {
    if !args.positions.is_given() {
        return Ok(spread::cases(args.depth));
    }
    let depth = args.depth.unwrap_or(5);
    let case = |named: Named<Board>| Case {
        name: named.name,
        board: named.board,
        depth,
        nodes: None,
    };
    let selected = args.positions.read()?;
    Ok(selected.positions.into_iter().map(case).collect())
}

/// Every generator, those that can do both once with the last moves counted and once with them made.
fn entrants<'a>(counters: &'a [Box<dyn Counter>], profiles: &[Profile]) -> Vec<Entrant<'a>> {
    let mut entrants = Vec::new();
    for (counter, profile) in counters.iter().zip(profiles) {
        let ways: Vec<Option<LastMoves>> = match profile.last_moves {
            Some(ways) => ways.iter().copied().map(Some).collect(),
            None => vec![None],
        };
        entrants.extend(ways.into_iter().map(|last_moves| Entrant {
            counter: counter.as_ref(),
            last_moves,
        }));
    }
    entrants
}

/// Whether the figures would be better for another round.
fn wants_another(args: &Args, figures: &Figures, begun: Instant) -> bool {
    match args.rounds {
        Some(rounds) => figures.rounds() < rounds as usize,
        None => {
            let is_time_left = begun.elapsed() < Duration::from_secs(args.seconds.into());
            figures.rounds() == 0
                || is_time_left
                    && (figures.rounds() < FEWEST_ROUNDS || figures.uncertainty() > STEADY)
        }
    }
}

/// The processes that wanted to run in the last minute, where the system tells.
fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// Why there are no figures.
enum Halt {
    Failure(Failure),
    /// Somebody counts wrongly.
    Quarrel(String),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::Failure(failure)
    }
}

/// Who counts what.
struct Bench<'a> {
    cases: &'a [Case],
    entrants: &'a [Entrant<'a>],
    stop: &'a Stop,
}

impl<'a> Bench<'a> {
    fn measure(&self, args: &Args, console: &Console) -> Result<Figures<'a>, Halt> {
        let mut figures = Figures::new(self.cases, self.entrants, self.warm_up()?);
        // How many rounds it takes to be steady is not known beforehand.
        let rounds = args.rounds.map(u64::from);
        let progress = rounds.map(|rounds| console.progress(rounds, rounds, "rounds"));
        let begun = Instant::now();
        while wants_another(args, &figures, begun) {
            self.round(&mut figures)?;
            progress.iter().for_each(|progress| progress.advance(1));
        }
        if let Some(progress) = progress {
            progress.finish();
        }
        Ok(figures)
    }

    /// Lets everybody count everything once. Engines start here, and all have to agree.
    fn warm_up(&self) -> Result<Vec<u128>, Halt> {
        let mut expected = Vec::new();
        for case in self.cases {
            let mut known = case
                .nodes
                .map(|nodes| (nodes, "the published count".to_owned()));
            for entrant in self.entrants {
                let (nodes, _) = self.time(entrant, case)?;
                match &known {
                    Some((right, _)) if *right == nodes => {}
                    Some((right, whose)) => {
                        return Err(quarrel(case, entrant, nodes, *right, whose));
                    }
                    None => known = Some((nodes, entrant.counter.name().to_owned())),
                }
            }
            let (nodes, _) = known.expect("there is always a generator");
            expected.push(nodes);
        }
        Ok(expected)
    }

    /// A turn of everybody on every position.
    fn round(&self, figures: &mut Figures) -> Result<(), Halt> {
        let mut times = Vec::new();
        for (case, &expected) in self.cases.iter().zip(figures.expected()) {
            for entrant in self.entrants {
                let (nodes, time) = self.time(entrant, case)?;
                if nodes != expected {
                    let whose = "the warm-up";
                    return Err(quarrel(case, entrant, nodes, expected, whose));
                }
                times.push(time);
            }
        }
        figures.add_round(times);
        Ok(())
    }

    fn time(&self, entrant: &Entrant, case: &Case) -> Result<(u128, Duration), Failure> {
        let is_stopped = || self.stop.is_set();
        let ask = Ask {
            last_moves: entrant.last_moves.unwrap_or(LastMoves::Counted),
            sharing: Sharing::Alone,
            is_stopped: &is_stopped,
        };
        let begun = Instant::now();
        let nodes = entrant.counter.count(&case.board, case.depth, &ask);
        let time = begun.elapsed();
        let nodes = nodes.map_err(|error| Failure::of_counter(error, self.stop))?;
        Ok((nodes, time))
    }
}

fn quarrel(case: &Case, entrant: &Entrant, nodes: u128, right: u128, whose: &str) -> Halt {
    let (name, fen, depth) = (entrant.counter.name(), case.board.x_fen(), case.depth);
    Halt::Quarrel(format!(
        "{name} counts {nodes} sequences of {depth} plies in {fen}, but {whose} is {right}; `ninesixty diff` finds the move"
    ))
}

/// The rules of the comparison.
fn rules(counters: &[Box<dyn Counter>], profiles: &[Profile], rounds: usize) -> Vec<String> {
    let mut rules = vec![format!(
        "One thread each. Medians of {rounds} rounds in which all take turns, after one round to warm up; every count \
         was checked in every round. The spread is the middle half of the times, in parts of the median."
    )];
    for (counter, profile) in counters.iter().zip(profiles) {
        let last_moves = match profile.last_moves {
            Some(_) => "last moves counted, and in another row every move made",
            None => "whether it makes the last moves it does not tell",
        };
        let hashed = match profile.is_hashed {
            Some(true) => "remembers positions",
            Some(false) => "remembers nothing",
            None => "whether it remembers positions it does not tell",
        };
        let process = match (profile.starts_anew, profile.last_moves) {
            (true, _) => "; every count starts a process, which is part of its time",
            (false, None) => "; timed from the question to the last line, its start not counted",
            (false, Some(_)) => "",
        };
        let (name, identity) = (counter.name(), &profile.identity);
        rules.push(format!(
            "{name} ({identity}): {last_moves}; {hashed}{process}."
        ));
    }
    rules
}

fn command(args: &Args) -> String {
    let positions = if args.positions.is_given() {
        format!("{} ", args.positions.typed())
    } else {
        String::new()
    };
    let depth = args
        .depth
        .map_or(String::new(), |depth| format!(" --depth {depth}"));
    format!("bench {positions}--generators '{}'{depth}", args.generators)
}

fn write(
    args: &Args,
    console: &Console,
    figures: &Figures,
    rules: &[String],
) -> Result<(), Failure> {
    let table = figures.table(&command(args));
    if !args.output.is_text() {
        rules.iter().for_each(|rule| console.say(rule));
        return args.output.write(&table);
    }
    args.output.write_with(|out| {
        for rule in rules {
            writeln!(out, "{rule}")?;
        }
        writeln!(out)?;
        table::write(&table, Format::Text, out)
    })
}
