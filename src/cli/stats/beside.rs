//! The tables that go to files of their own, beside the table of starts.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use ninesixty::stats::{Tally, Tree};
use ninesixty::table::{self, Format, Table};

use super::{castling, moves, tree_failure};
use crate::cli::exit::{Failure, OrFail};
use crate::cli::output::OutputArgs;

#[derive(Args)]
pub struct BesideArgs {
    /// Write the tree of openings to this file, in the format that its name ends in or else that of the table
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Leave moves out of the tree that were played in fewer games
    #[arg(long, value_name = "N", default_value_t = 5, requires = "moves")]
    min_games: u64,
    /// Write to this file how White and Black castled, by side and by the method that the start asks for
    #[arg(long, value_name = "FILE")]
    castling: Option<PathBuf>,
}

impl BesideArgs {
    pub fn wants_moves(&self) -> bool {
        self.moves.is_some()
    }

    /// Whether any of the tables is wanted.
    pub fn is_wanted(&self) -> bool {
        self.paths().next().is_some()
    }

    /// Fails where one of the tables could not be written.
    pub fn rehearse(&self, output: &OutputArgs, command: &str) -> Result<(), Failure> {
        let moves = moves::table(command, self.min_games, &[]);
        let castling = castling::table(command, &Tally::default());
        for (path, table) in [(&self.moves, moves), (&self.castling, castling)] {
            if let Some(path) = path {
                let format = format(path, output);
                if path.extension().is_some_and(|ending| ending == "parquet") {
                    // A build without it would write another format under this name.
                    "parquet".parse::<Format>().or_usage()?;
                }
                table::write(&table, format, &mut std::io::sink()).or_usage()?;
                table::check_store(path).or_unfinished()?;
            }
        }
        Ok(())
    }

    /// Fails if one of the tables would take the place of one of these, or of another table.
    pub fn spare(&self, sources: &[PathBuf], output: &OutputArgs) -> Result<(), Failure> {
        let mut taken: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
        taken.extend(output.path());
        for (name, path) in self.paths() {
            if let Some(place) = taken.iter().find(|place| table::is_same_place(place, path)) {
                let place = place.display();
                return Err(anyhow!("the {name} would take the place of {place}")).or_usage();
            }
            taken.push(path);
        }
        Ok(())
    }

    pub fn write(
        &self,
        tally: &Tally,
        tree: Tree,
        output: &OutputArgs,
        command: &str,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.moves {
            let branches = tree.branches(self.min_games).map_err(tree_failure)?;
            let table = moves::table(command, self.min_games, &branches);
            store(path, &table, output)?;
        }
        if let Some(path) = &self.castling {
            store(path, &castling::table(command, tally), output)?;
        }
        Ok(())
    }

    fn paths(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let paths = [("tree", &self.moves), ("castling table", &self.castling)];
        let given = |(name, path)| Option::as_deref(path).map(|path| (name, path));
        paths.into_iter().filter_map(given)
    }
}

fn store(path: &Path, table: &Table, output: &OutputArgs) -> Result<(), Failure> {
    let format = format(path, output);
    table::store(path, |out| table::write(table, format, out)).or_unfinished()
}

fn format(path: &Path, output: &OutputArgs) -> Format {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let by_name = ending.and_then(|ending| ending.parse().ok());
    by_name.unwrap_or(output.format())
}
