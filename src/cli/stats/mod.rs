//! `ninesixty stats`: opening statistics per start, out of PGN databases of any size.

mod beside;
mod castling;
mod files;
mod filters;
mod moves;
mod summary;
mod table;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, anyhow};
use clap::{Args as ClapArgs, value_parser};
use ninesixty::pgn::{ReadError, Source};
use ninesixty::run::{Merged, Plan, Shard, Stop, Task};
use ninesixty::stats::{Counted, Duplicates, FileError, Rules, Tally, Tree, TreeError, count_file};
use serde_json::{Value, json};

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::job::{Begun, Job};
use super::meter::Meter;
use super::output::OutputArgs;
use files::Input;
use filters::FilterArgs;

pub use beside::BesideArgs;

/// Count games, results, first moves and castling per start, out of PGN files
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty stats data/pgn/mainz-2009.pgn
  ninesixty stats data/pgn --doubles --min-rating 2000 --moves tree.csv --min-games 2 --format csv")]
pub struct Args {
    /// PGN files, plain or compressed with zstd, gzip or bzip2; directories; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Check so many plies of each game to be legal, and make the tree of them
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(1..=Tree::MOST_PLIES as i64))]
    plies: u32,
    #[command(flatten)]
    beside: BesideArgs,
    /// Count games of classical chess too, as start 518
    #[arg(long)]
    include_standard: bool,
    /// Count games in which White and Black have different starts, too
    #[arg(long)]
    doubles: bool,
    /// Take a start whose FEN allows no castling for one that has lost its rights, even if nobody castles
    #[arg(long)]
    repair: bool,
    /// Count a game whose text comes again only once (takes some 40 bytes of memory per game)
    #[arg(long, conflicts_with = "ledger")]
    dedup: bool,
    /// Report what could be read where a file is damaged; the exit code is 3 all the same
    #[arg(long)]
    keep_going: bool,
    /// Show all columns also where people read them (text and md)
    #[arg(long)]
    all_columns: bool,
    /// Keep finished files in this file, and go on from it if it is there
    #[arg(long, value_name = "FILE", conflicts_with = "keep_going")]
    ledger: Option<PathBuf>,
    /// Count only the I-th of N parts of the files, into the ledger; `auto` in an array job
    #[arg(long, value_name = "I/N", requires = "ledger")]
    shard: Option<Shard>,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
    // Last, because what follows would stand under its heading in the help.
    #[command(flatten)]
    filters: FilterArgs,
}

impl Args {
    fn rules(&self) -> Result<Rules, Failure> {
        Ok(Rules {
            filter: self.filters.read()?,
            plies: self.plies,
            keeps_tree: self.beside.wants_moves(),
            includes_classical: self.include_standard,
            includes_doubles: self.doubles,
            repairs_lost_rights: self.repair,
            duplicates: self.dedup.then(Duplicates::default),
        })
    }

    /// The flags that decide the result, as they are recorded with it.
    fn flags(&self) -> String {
        let mut flags = format!("--plies {}", self.plies);
        for (is_set, flag) in [
            (self.include_standard, " --include-standard"),
            (self.doubles, " --doubles"),
            (self.repair, " --repair"),
            (self.dedup, " --dedup"),
        ] {
            if is_set {
                flags += flag;
            }
        }
        flags + &self.filters.command()
    }

    fn plan(&self, inputs: &[Input]) -> Result<Plan, Failure> {
        let settings = [
            ("verb", "stats".to_owned()),
            ("flags", self.flags()),
            ("tree", self.beside.wants_moves().to_string()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        let tasks = inputs.iter().map(|input| (input.name(), input.cost()));
        Plan::new(settings, tasks).or_usage()
    }
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let inputs = files::find(&args.files)?;
    let rules = args.rules()?;
    let command = command(&args.flags(), inputs.iter().map(Input::name));
    let empty = Tally::default();
    args.output
        .rehearse(&table::per_start(&command, &empty, args.is_brief()))?;
    args.beside.rehearse(&args.output, &command)?;
    spare(args, &inputs)?;
    if let (Some(_), Some(input)) = (&args.ledger, inputs.iter().find(|input| input.is_stream())) {
        let name = input.name();
        return Err(anyhow!(
            "{name} cannot be read twice, as a ledger would need it to be"
        ))
        .or_usage();
    }
    let plan = args.plan(&inputs)?;
    let stop = Stop::install().or_unfinished()?;
    let job = Job {
        plan: &plan,
        ledger: args.ledger.as_deref(),
        shard: args.shard,
        stop: &stop,
        console,
    };
    let begun = job.begin()?;
    let left = begun.todo.iter().map(|task| &inputs[task.index()]);
    let crew = Crew {
        args,
        rules: &rules,
        inputs: &inputs,
        meter: Meter::new(console, files::total_bytes(left)),
        tree: Mutex::default(),
        damage: Mutex::default(),
    };
    let results = crew.count_all(begun);
    crew.meter.finish();
    let Some(results) = results? else {
        return Ok(Answer::Yes);
    };
    let mut total = Total {
        tally: Tally::default(),
        tree: crew
            .tree
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    };
    for result in &results {
        total.absorb(result)?;
    }
    total.write(
        &command,
        args.is_brief(),
        &args.output,
        &args.beside,
        console,
    )?;
    let damage = crew
        .damage
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    summary::damage(damage, console)
}

impl Args {
    /// Whether only the columns that people look at first are shown.
    fn is_brief(&self) -> bool {
        !self.all_columns && self.output.is_for_people()
    }
}

/// Fails if a table would take the place of what it is made of.
fn spare(args: &Args, inputs: &[Input]) -> Result<(), Failure> {
    let mut sources: Vec<PathBuf> = args.ledger.iter().cloned().collect();
    sources.extend(inputs.iter().filter_map(Input::path).map(PathBuf::from));
    args.output.spare(&sources)?;
    args.beside.spare(&sources, &args.output)
}

/// Everybody who counts, and what they share.
struct Crew<'a> {
    args: &'a Args,
    rules: &'a Rules,
    inputs: &'a [Input],
    meter: Meter,
    /// The openings of all files, unless each file's go to the ledger.
    tree: Mutex<Tree>,
    damage: Mutex<Vec<ReadError>>,
}

impl Crew<'_> {
    /// The tallies of all files; `None` if this was but a shard of them.
    fn count_all(&self, begun: Begun) -> Result<Option<Vec<Value>>, Failure> {
        let threads = self.args.threads.count();
        let workers = threads.min(begun.todo.len()).max(1);
        let costs = begun.todo.iter().map(|task| task.cost());
        let cost = costs.sum::<u64>().max(1);
        begun.run(
            workers,
            || (),
            |(), task, stop| {
                // Large files get as many threads as they have a share of the work.
                let share = u128::from(task.cost()) * threads as u128;
                let team = share.div_ceil(u128::from(cost)) as usize;
                self.count(task, team.clamp(1, threads), stop)
            },
        )
    }

    fn count(&self, task: &Task, threads: usize, stop: &Stop) -> Result<Option<Value>, Failure> {
        let keeps_going = self.args.keep_going;
        let source = match self.inputs[task.index()].open(keeps_going) {
            Ok(source) => source,
            Err(error) => return self.unread(error),
        };
        let counted = count_file(
            source,
            self.rules,
            threads,
            keeps_going,
            &|| stop.is_set(),
            &|bytes, games| self.meter.advance(bytes, games),
        );
        match counted {
            Ok(Some(counted)) => self.keep(counted).map(Some),
            Ok(None) => Ok(None),
            Err(FileError::Read(error)) => self.unread(error),
            Err(FileError::Tree(error)) => Err(tree_failure(error)),
        }
    }

    fn keep(&self, counted: Counted) -> Result<Value, Failure> {
        let mut value = counted.tally.to_json();
        if self.args.ledger.is_some() {
            value["tree"] = json!(counted.tree.to_text().map_err(tree_failure)?);
        } else {
            let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
            tree.absorb(counted.tree).map_err(tree_failure)?;
        }
        let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        damage.extend(counted.damage);
        Ok(value)
    }

    /// A file of which nothing counts.
    fn unread(&self, error: ReadError) -> Result<Option<Value>, Failure> {
        if !self.args.keep_going {
            return Err(error).or_input();
        }
        let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        damage.push(error);
        Ok(Some(Tally::default().to_json()))
    }
}

/// What all files have come to.
struct Total {
    tally: Tally,
    tree: Tree,
}

impl Total {
    fn absorb(&mut self, result: &Value) -> Result<(), Failure> {
        self.tally.absorb(&Tally::from_json(result).or_input()?);
        if let Some(text) = result["tree"].as_str() {
            self.tree.absorb_text(text).map_err(tree_failure)?;
        }
        Ok(())
    }

    fn write(
        self,
        command: &str,
        is_brief: bool,
        output: &OutputArgs,
        beside: &BesideArgs,
        console: &Console,
    ) -> Result<(), Failure> {
        beside.write(&self.tally, self.tree, output, command)?;
        output.write(&table::per_start(command, &self.tally, is_brief))?;
        summary::tell(&self.tally, console);
        Ok(())
    }
}

fn tree_failure(error: TreeError) -> Failure {
    match error {
        TreeError::Disk(_) => Failure::Unfinished(error.into()),
        TreeError::Damaged => Failure::Input(error.into()),
    }
}

/// The command that gives a table, without the flags that do not matter to it.
fn command<'n>(flags: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut command = "stats".to_owned();
    for name in names {
        command += &format!(" '{name}'");
    }
    format!("{command} {flags}")
}

/// The table of the ledgers of `stats`.
pub fn merge(
    merged: &Merged,
    beside: &BesideArgs,
    output: &OutputArgs,
    console: &Console,
) -> Result<Answer, Failure> {
    let setting = |name: &str| {
        let value = merged.plan().description().get(name);
        value.with_context(|| format!("the ledger's plan does not say its {name}"))
    };
    let flags = setting("flags").or_input()?;
    if beside.wants_moves() && setting("tree").or_input()? != "true" {
        return Err(anyhow!(
            "the ledgers hold no openings: they were made without --moves"
        ))
        .or_usage();
    }
    let tasks = merged.plan().tasks();
    let command = command(flags, tasks.iter().map(Task::name));
    let is_brief = output.is_for_people();
    output.rehearse(&table::per_start(&command, &Tally::default(), is_brief))?;
    beside.rehearse(output, &command)?;
    let mut total = Total {
        tally: Tally::default(),
        tree: Tree::default(),
    };
    for result in tasks.iter().filter_map(|task| merged.result(task)) {
        total.absorb(result)?;
    }
    total.write(&command, is_brief, output, beside, console)?;
    Ok(Answer::Yes)
}

impl Input {
    fn open(&self, in_order: bool) -> Result<Source, ReadError> {
        match self.path() {
            Some(path) => Source::open(path, in_order),
            None => Source::stream(self.name().as_ref(), std::io::stdin()),
        }
    }
}
