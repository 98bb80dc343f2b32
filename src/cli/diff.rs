//! `ninesixty diff`: two generators, and the smallest position about which they disagree.

use std::sync::Mutex;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::random::{from_a_game, thrown_together};
use ninesixty::chess::{Board, Move};
use ninesixty::diff::{Difference, Fault, Finding, Outcome, Pair, explain};
use ninesixty::generator::{Ask, CounterError, Line};
use ninesixty::run::Stop;
use ninesixty::table::{Cell, Table};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::generators::{GENERATORS, LimitArgs};
use super::output::OutputArgs;
use super::perft::DEEPEST;
use super::positions::{Named, PositionArgs, Selected};
use super::show::draw;

/// Find the move about which two generators disagree, in the smallest position
#[derive(ClapArgs)]
#[command(after_help = format!("{GENERATORS}

Examples:
  ninesixty diff --a own --b shakmaty --depth 3
  ninesixty diff --a own --b shakmaty --random 1000 --depth 2"))]
pub struct Args {
    /// A generator
    #[arg(long, value_name = "GENERATOR", default_value = "own")]
    a: String,
    /// The generator to lay beside it
    #[arg(long, value_name = "GENERATOR")]
    b: String,
    #[command(flatten)]
    positions: PositionArgs,
    /// So many positions drawn by chance instead of starts
    #[arg(long, value_name = "N", conflicts_with_all = ["selection", "fen", "epd"], value_parser = value_parser!(u32).range(1..=10_000_000))]
    random: Option<u32>,
    /// Draw other random positions
    #[arg(long, value_name = "N", default_value_t = 960, requires = "random")]
    seed: u64,
    /// Compare the counts of up to this many plies
    #[arg(short, long, value_name = "PLIES", default_value_t = 3, value_parser = value_parser!(u32).range(1..=DEEPEST.into()))]
    depth: u32,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let a = args.limits.generator(&args.a)?;
    let b = args.limits.generator(&args.b)?;
    let pair = Pair {
        a: a.as_ref(),
        b: b.as_ref(),
    };
    let Selected { command, positions } = read_positions(args)?;
    args.output.rehearse(&table(args, &command, None))?;
    let stop = Stop::install().or_unfinished()?;
    let is_stopped = || stop.is_set();
    let ask = Ask {
        is_stopped: &is_stopped,
        ..Ask::default()
    };
    let search = Search {
        pair,
        positions: &positions,
        ask,
        refusals: Mutex::default(),
    };
    let pool = args.threads.pool()?;
    let count = positions.len() as u64;
    let failed = |error| Failure::of_counter(error, &stop);
    let mut nodes = 0;
    for depth in 1..=args.depth {
        console.detail(format!("comparing at depth {depth}"));
        let progress = console.progress(count, count, "positions");
        let sweep = pool.install(|| search.at_depth(depth, &|| progress.advance(1)));
        progress.finish();
        match sweep.map_err(failed)? {
            Sweep::Agree(sum) => nodes = sum,
            Sweep::Disagree(position) => {
                let finding = pair.pin_down(&position.board, depth, &ask);
                let finding = finding.map_err(failed)?;
                let report = Report {
                    pair,
                    position,
                    depth,
                    finding: finding
                        .ok_or_else(|| fickle(&pair, position))
                        .or_unfinished()?,
                };
                report.write(args, &command, console)?;
                return Ok(Answer::No);
            }
        }
    }
    args.output.write_findings(&table(args, &command, None))?;
    conclude(console, &pair, &search, args.depth, nodes)
}

fn read_positions(args: &Args) -> Result<Selected<Board>, Failure> {
    let Some(count) = args.random else {
        return args.positions.read();
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(args.seed);
    let draw = |number: u32| {
        let board = if number.is_multiple_of(2) {
            from_a_game(&mut random)
        } else {
            thrown_together(&mut random)
        };
        Named::of(board)
    };
    Ok(Selected {
        command: format!("--random {count} --seed {}", args.seed),
        positions: (0..count).map(draw).collect(),
    })
}

/// The positions, and who refused which.
struct Search<'a> {
    pair: Pair<'a>,
    positions: &'a [Named<Board>],
    ask: Ask<'a>,
    refusals: Mutex<Vec<(usize, CounterError)>>,
}

/// What came of comparing all positions at one depth.
enum Sweep<'a> {
    /// So many sequences, and no difference.
    Agree(u128),
    /// The first position with a difference.
    Disagree(&'a Named<Board>),
}

impl<'a> Search<'a> {
    fn at_depth(&self, depth: u32, done: &(dyn Fn() + Sync)) -> Result<Sweep<'a>, CounterError> {
        let nodes = Mutex::new(0_u128);
        let compare = |(index, position): (usize, &'a Named<Board>)| {
            if self.is_refused(index) {
                return None;
            }
            match self
                .pair
                .compare(&Line::at(&position.board), depth, &self.ask)
            {
                Ok(Outcome::Agree(count)) => {
                    let mut nodes = nodes
                        .lock()
                        .expect("nothing panics while it holds the lock");
                    *nodes = nodes.saturating_add(count);
                    done();
                    None
                }
                Ok(Outcome::Refused(error)) => {
                    self.refusals().push((index, error));
                    None
                }
                Ok(Outcome::Differ(_) | Outcome::Failed(_)) => Some(Ok(position)),
                Err(error) => Some(Err(error)),
            }
        };
        let indexed = self.positions.par_iter().with_max_len(1).enumerate();
        match indexed.find_map_first(compare).transpose()? {
            Some(position) => Ok(Sweep::Disagree(position)),
            None => {
                let nodes = nodes.into_inner();
                Ok(Sweep::Agree(
                    nodes.expect("nothing panics while it holds the lock"),
                ))
            }
        }
    }

    fn refusals(&self) -> std::sync::MutexGuard<'_, Vec<(usize, CounterError)>> {
        let refusals = self.refusals.lock();
        refusals.expect("nothing panics while it holds the lock")
    }

    fn is_refused(&self, index: usize) -> bool {
        self.refusals().iter().any(|&(refused, _)| refused == index)
    }
}

fn fickle(pair: &Pair, position: &Named<Board>) -> anyhow::Error {
    anyhow!(
        "{} and {} disagreed about {}, and when asked again they agreed: one of them does not always give the same answer",
        pair.a.name(),
        pair.b.name(),
        position.name
    )
}

fn conclude(
    console: &Console,
    pair: &Pair,
    search: &Search,
    depth: u32,
    nodes: u128,
) -> Result<Answer, Failure> {
    let mut refusals = search.refusals();
    refusals.sort_by_key(|&(index, _)| index);
    for (_, error) in refusals.iter() {
        console.alarm(error.to_string());
    }
    let compared = search.positions.len() - refusals.len();
    let (a, b) = (pair.a.name(), pair.b.name());
    console.say(format!(
        "{a} and {b} agree about {compared} positions to depth {depth}: {nodes} sequences of {depth} plies"
    ));
    if refusals.is_empty() {
        Ok(Answer::Yes)
    } else {
        console.say(format!("{} positions were refused", refusals.len()));
        Ok(Answer::No)
    }
}

/// A disagreement, and where it was met.
struct Report<'a> {
    pair: Pair<'a>,
    position: &'a Named<Board>,
    depth: u32,
    finding: Finding,
}

impl Report<'_> {
    /// A page for people, a row for programs.
    fn write(&self, args: &Args, positions: &str, console: &Console) -> Result<(), Failure> {
        if !args.output.is_text() {
            return args.output.write(&table(args, positions, Some(self)));
        }
        let page = self.page(console.has_color(&args.output));
        args.output
            .write_with(|out| Ok(out.write_all(page.as_bytes())?))
    }

    fn page(&self, color: bool) -> String {
        let Finding {
            path,
            fault,
            smallest,
        } = &self.finding;
        let walk = Line {
            board: &self.position.board,
            moves: path,
        };
        let mut facts = vec![
            ("A", self.pair.a.name().to_owned()),
            ("B", self.pair.b.name().to_owned()),
            ("Position", self.asked()),
            ("Depth", self.depth.to_string()),
            ("Path", san(&walk)),
            ("Leads to", walk.end().x_fen()),
            ("Smallest", smallest.board.x_fen()),
        ];
        if !smallest.moves.is_empty() {
            facts.push(("Then", san(&smallest.line())));
        }
        let mut page = match fault {
            Fault::Failure { error, .. } => format!("{}\n\n", chain(error)),
            _ => "A and B disagree\n\n".to_owned(),
        };
        for (name, fact) in facts {
            page += &format!("{name:<9} {fact}\n");
        }
        page += &format!("\n{}\n", draw(&smallest.line().end(), color));
        page += &match fault {
            Fault::Moves(difference) => self.moves(difference),
            Fault::Counts { depth, difference } => counts(*depth, difference),
            Fault::Failure { depth: 1, .. } => {
                "It fails when it is asked for the moves.\n".to_owned()
            }
            Fault::Failure { depth, .. } => format!("It fails when it counts {depth} plies.\n"),
        };
        page
    }

    fn asked(&self) -> String {
        let Named { name, board } = self.position;
        match board.double_start() {
            Some(_) => format!("start {name}: {}", board.x_fen()),
            None => name.clone(),
        }
    }

    fn moves(&self, difference: &Difference) -> String {
        let line = self.finding.smallest.line();
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

fn counts(depth: u32, difference: &Difference) -> String {
    let mut page = format!(
        "The moves are the same here and in every position below, but not the counts of {depth} plies: one of the two \
         makes or takes back a move wrongly, or remembers wrongly.\n"
    );
    for (mv, in_a, in_b) in &difference.counts {
        page += &format!("{mv:<5}  A: {in_a}, B: {in_b}\n");
    }
    page
}

/// An error with its causes.
fn chain(error: &CounterError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

/// The moves of a line as players write them.
fn san(line: &Line) -> String {
    let mut board = *line.board;
    let write = |mv: &Move| {
        let text = board.san(*mv);
        board = board.play(*mv);
        text
    };
    let moves: Vec<String> = line.moves.iter().map(write).collect();
    if moves.is_empty() {
        "-".to_owned()
    } else {
        moves.join(" ")
    }
}

fn table(args: &Args, positions: &str, report: Option<&Report>) -> Table {
    let command = format!(
        "diff --a '{}' --b '{}' {positions} --depth {}",
        args.a, args.b, args.depth
    );
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
        let Finding {
            path,
            fault,
            smallest,
        } = &self.finding;
        let uci = |moves: &[Move]| {
            let moves: Vec<String> = moves.iter().map(|mv| mv.to_string()).collect();
            moves.join(" ")
        };
        let root = &self.position.board;
        let (only_a, only_b, failure) = match fault {
            Fault::Moves(difference) => (
                difference.only_a.join(" "),
                difference.only_b.join(" "),
                None,
            ),
            Fault::Counts { .. } => (String::new(), String::new(), None),
            Fault::Failure { error, .. } => (String::new(), String::new(), Some(chain(error))),
        };
        vec![
            self.pair.a.name().into(),
            self.pair.b.name().into(),
            self.position.name.as_str().into(),
            u64::from(self.depth).into(),
            uci(path).into(),
            Line {
                board: root,
                moves: path,
            }
            .end()
            .x_fen()
            .into(),
            smallest.board.x_fen().into(),
            uci(&smallest.moves).into(),
            only_a.into(),
            only_b.into(),
            failure.into(),
        ]
    }
}
