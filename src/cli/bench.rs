//! `ninesixty bench`: times generators against each other.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::Board;
use ninesixty::generator::bench::{
    BenchCase, BenchError, BenchOptions, BenchReport, Relative, bench, standard_cases,
};
use ninesixty::generator::{Counter, CounterHost, Profile, split_names};
use ninesixty::job::{Depth, NamedPosition};
use ninesixty::table::{self, Cell, CommandText, Format, Number, Table};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::output::{OutputArgs, refuse_same_file};
use super::positions::PositionArgs;
use super::signals::Signals;

/// Time generators against each other, with every count checked
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Without SELECTION, --fen or --epd, the positions are openings, middlegames, endgames, and positions \
with many checks and promotions, with their published counts.

A generator has a row for each of its counting methods: all moves made; the moves of the last ply \
counted but not made (bulk counting); and, for `own`, the last two plies counted. `relative` compares \
a row with the first generator that counts by the same method; `against_bulk` compares two-ply counting with the fastest bulk counting of \
another generator.

Examples:
  ninesixty bench --generators own,shakmaty,cozy-chess --depth 3 --rounds 3
  ninesixty bench 518,0 --generators own,cozy-chess --depth 4 --rounds 5 --format csv"))]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// Generators, separated by commas; the column `relative` compares each row with the first generator of this list that
    /// counts by the same method
    #[arg(
        short,
        long,
        value_name = "GENERATORS",
        default_value = "own,shakmaty,cozy-chess"
    )]
    generators: String,
    /// Depth to count to, at most 20 [default: 5; for the standard positions, up to 20 million nodes each]
    #[arg(short, long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..=Depth::MOST.into()))]
    depth: Option<u32>,
    /// Number of rounds [default: until the medians are steady to a percent, or --seconds have passed]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    rounds: Option<u32>,
    /// Without --rounds, start no new round after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u32,
    /// Also write the time of every round to this file: .csv, .json or .md; can be repeated
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    fn refuse_overwrite(&self) -> Result<(), Failure> {
        let mut taken: Vec<&Path> = self.positions.file().into_iter().collect();
        self.output.refuse_overwrite(taken.iter().copied())?;
        taken.extend(self.output.path());
        for path in &self.export {
            refuse_same_file("export", path, taken.iter().copied())?;
            taken.push(path);
        }
        Ok(())
    }
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.refuse_overwrite()?;
    let exports = exports(&args.export)?;
    let names = split_names(&args.generators).or_usage()?;
    let counters = names.iter().map(|name| args.limits.generator(name));
    let counters = counters.collect::<Result<Vec<_>, Failure>>()?;
    let cases = cases(args)?;
    let command = command(args)?;
    args.output.preflight(&empty_comparison(command.clone()))?;
    let signals = Signals::install().or_unfinished()?;
    let report = match measure(args, console, &cases, &counters, &signals) {
        Ok(report) => report,
        Err(BenchError::Counter(error)) => return Err(Failure::of_counter(error, &signals)),
        Err(error @ BenchError::WrongCount { .. }) => {
            console.warn(format!("{error}; `ninesixty diff` finds the move"));
            return Ok(Answer::No);
        }
        Err(error @ BenchError::Empty) => return Err(error).or_usage(),
    };
    for (path, format) in &exports {
        let times = times_table(&report, command.clone());
        table::write_atomically(path, |out| table::write(&times, *format, out)).or_unfinished()?;
    }
    write(args, console, &report, command)?;
    for warning in report.warnings() {
        console.info(format!("warning: {warning}"));
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
                    "{path}: the name of an export has to end in .csv, .json or .md"
                ))
                .or_usage();
            }
        };
        table::check_writable(path).or_unfinished()?;
        Ok((path.clone(), format))
    };
    paths.iter().map(export).collect()
}

fn cases(args: &Args) -> Result<Vec<BenchCase>, Failure> {
    if !args.positions.is_given() {
        return Ok(standard_cases(args.depth));
    }
    let depth = args.depth.unwrap_or(5);
    let case = |position: &NamedPosition<Board>| BenchCase {
        name: position.name.clone(),
        board: position.board,
        depth,
        nodes: None,
    };
    Ok(args.positions.read()?.iter().map(case).collect())
}

fn measure(
    args: &Args,
    console: &Console,
    cases: &[BenchCase],
    counters: &[Box<dyn Counter>],
    signals: &Signals,
) -> Result<BenchReport, BenchError> {
    // Without --rounds, the number of rounds is not known in advance.
    let rounds = args.rounds.map(u64::from);
    let progress = rounds.map(|rounds| console.progress(rounds, rounds, "rounds"));
    let advance = || progress.iter().for_each(|progress| progress.advance(1));
    let options = BenchOptions {
        rounds: args.rounds,
        time_limit: Duration::from_secs(args.seconds.into()),
        cancel: signals.cancel(),
        progress: Some(&advance),
    };
    let counters: Vec<&dyn Counter> = counters.iter().map(Box::as_ref).collect();
    let report = bench(cases, &counters, &options);
    if let Some(progress) = progress {
        progress.finish();
    }
    report
}

fn command(args: &Args) -> Result<CommandText, Failure> {
    let positions = if args.positions.is_given() {
        args.positions.read::<Board>()?.arguments()
    } else {
        String::new()
    };
    Ok(CommandText::new("bench")
        .word(positions)
        .quoted_flag("--generators", Some(&args.generators))
        .optional_flag("--depth", args.depth))
}

/// Writes the table, preceded by notes on how the generators were timed.
fn write(
    args: &Args,
    console: &Console,
    report: &BenchReport,
    command: CommandText,
) -> Result<(), Failure> {
    let table = comparison_table(report, command);
    let notes = notes(report);
    if !args.output.is_text() {
        notes.iter().for_each(|note| console.info(note));
        return args.output.write(&table);
    }
    args.output.write_with(|out| {
        for note in &notes {
            writeln!(out, "{note}")?;
        }
        writeln!(out)?;
        table::write(&table, Format::Text, out)
    })
}

fn notes(report: &BenchReport) -> Vec<String> {
    let rounds = report.rounds();
    let mut notes = vec![
        format!(
            "One thread each. Medians of {rounds} rounds in which all take turns, after one round as a warm-up; every count \
             was checked in every round. The spread is the interquartile range in percent of the median."
        ),
        "`relative` compares rows that count in the same way with the first of them. `against_bulk` compares the counting of \
         two plies with bulk counting, which makes more moves for the same count."
            .to_owned(),
    ];
    let profiles = report.profiles.iter();
    notes.extend(profiles.map(|(name, profile)| describe(name, profile)));
    notes
}

fn describe(name: &str, profile: &Profile) -> String {
    let methods = match profile.methods {
        Some(methods) => {
            let methods: Vec<String> = methods.iter().map(ToString::to_string).collect();
            methods.join(", ")
        }
        None => "unknown counting method".to_owned(),
    };
    let hash = match profile.uses_hash {
        Some(true) => "with a hash table",
        Some(false) => "no hash table",
        None => "unknown use of a hash table",
    };
    let process = match profile.host {
        CounterHost::ThisProcess => "",
        CounterHost::ChildProcess => {
            "; timed from the command to the last line, without the start of the process"
        }
        CounterHost::ProcessPerCount => "; times include the start of a process for every count",
    };
    let identity = &profile.identity;
    format!("{name} ({identity}): {methods}; {hash}{process}.")
}

fn empty_comparison(command: CommandText) -> Table {
    let columns = [
        "position",
        "depth",
        "generator",
        "counted",
        "nodes",
        "median_ms",
        "spread_percent",
        "mnodes_per_s",
        "relative",
        "against_bulk",
    ];
    Table::new("ninesixty.bench/2", command, columns)
}

fn comparison_table(report: &BenchReport, command: CommandText) -> Table {
    let mut table = empty_comparison(command);
    for row in report.rows() {
        let case = row.case.map(|case| &report.cases[case]);
        let contender = &report.contenders[row.contender];
        let name_of = |relative: Relative| report.contenders[relative.baseline].name.as_str();
        let relative = if row.relative.baseline == row.contender {
            "1".to_owned()
        } else {
            compare(row.relative, name_of(row.relative))
        };
        let against_bulk = row
            .against_bulk
            .map(|relative| compare(relative, &format!("bulk of {}", name_of(relative))));
        let nodes_per_second = row.nodes as f64 / row.median_seconds;
        table.push(vec![
            case.map_or("all", |case| case.name.as_str()).into(),
            case.map(|case| i64::from(case.depth)).into(),
            contender.name.as_str().into(),
            contender.counted().into(),
            row.nodes.into(),
            Number::new(row.median_seconds * 1e3, 2).into(),
            Number::new(row.spread * 100.0, 1).into(),
            Number::new(nodes_per_second / 1e6, 1).into(),
            relative.into(),
            against_bulk.into(),
        ]);
    }
    table
}

fn compare(relative: Relative, baseline: &str) -> String {
    let ratio = relative.time_ratio;
    if ratio >= 1.0 {
        format!("x {ratio:.1} slower than {baseline}")
    } else {
        format!("x {:.1} faster than {baseline}", 1.0 / ratio)
    }
}

/// The time of every round.
fn times_table(report: &BenchReport, command: CommandText) -> Table {
    let columns = [
        "position",
        "fen",
        "depth",
        "generator",
        "counted",
        "nodes",
        "round",
        "seconds",
    ];
    let mut table = Table::new("ninesixty.bench-times/2", command, columns);
    for round in 0..report.rounds() {
        for (case_index, case) in report.cases.iter().enumerate() {
            for (index, contender) in report.contenders.iter().enumerate() {
                let seconds = report.time(round, case_index, index).as_secs_f64();
                table.push(vec![
                    case.name.as_str().into(),
                    case.board.x_fen().into(),
                    i64::from(case.depth).into(),
                    contender.name.as_str().into(),
                    contender.counted().into(),
                    case.nodes.into(),
                    Cell::Integer(round as i64 + 1),
                    Number::new(seconds, 9).into(),
                ]);
            }
        }
    }
    table
}
