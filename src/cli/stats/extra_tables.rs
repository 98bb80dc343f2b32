//! The optional tables of `stats`, each written to a file of its own: the opening tree and castling.

use std::path::{Path, PathBuf};

use clap::Args;
use ninesixty::job::{StatsJob, StatsReport};
use ninesixty::stats::MoveCount;
use ninesixty::table::{self, Format};

use crate::cli::console::Console;
use crate::cli::exit::{Failure, OrFail};
use crate::cli::output::{OutputArgs, refuse_same_file};
use crate::cli::threads::ThreadsArgs;

#[derive(Args)]
pub struct ExtraTablesArgs {
    /// Write the opening tree to this file, in the format of its extension, or else in that of --format
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Omit moves of the opening tree that were played in fewer games
    #[arg(long, value_name = "N", default_value_t = 5, requires = "moves")]
    min_games: u64,
    /// Write a table of castling to this file, by player, side and castling method
    #[arg(long, value_name = "FILE")]
    castling: Option<PathBuf>,
}

impl ExtraTablesArgs {
    pub fn wants_moves(&self) -> bool {
        self.moves.is_some()
    }

    /// Whether any of the tables is requested.
    pub fn is_wanted(&self) -> bool {
        self.paths().next().is_some()
    }

    /// Fails if one of the tables cannot be written.
    pub fn preflight(&self, job: &StatsJob, output: &OutputArgs) -> Result<(), Failure> {
        let moves = job.moves_header(self.min_games);
        let castling = job.castling_table(&StatsReport::default().tally);
        for (path, table) in [(&self.moves, moves), (&self.castling, castling)] {
            if let Some(path) = path {
                let format = format(path, output);
                if path
                    .extension()
                    .is_some_and(|extension| extension == "parquet")
                {
                    // A build without Parquet would fall back to another format under this name.
                    "parquet".parse::<Format>().or_usage()?;
                }
                table::write(&table, format, &mut std::io::sink()).or_usage()?;
                table::check_writable(path).or_unfinished()?;
            }
        }
        Ok(())
    }

    /// Fails if one of the tables would overwrite a source, the main table or another one.
    pub fn refuse_overwrite<'p>(
        &'p self,
        sources: impl IntoIterator<Item = &'p Path>,
        output: &'p OutputArgs,
    ) -> Result<(), Failure> {
        let mut taken: Vec<&Path> = sources.into_iter().collect();
        taken.extend(output.path());
        for (name, path) in self.paths() {
            refuse_same_file(name, path, taken.iter().copied())?;
            taken.push(path);
        }
        Ok(())
    }

    /// Writes the tables and returns the report without the tree.
    pub fn write(
        &self,
        job: &StatsJob,
        report: StatsReport,
        output: &OutputArgs,
        threads: &ThreadsArgs,
        console: &Console,
    ) -> Result<StatsReport, Failure> {
        if let Some(path) = &self.moves {
            let pool = threads.pool()?;
            let format = format(path, output);
            let mut count = MoveCount::default();
            table::write_atomically(path, |out| {
                count = job.write_moves(report.tree, self.min_games, &pool, format, out)?;
                Ok(())
            })
            .or_unfinished()?;
            if count.omitted > 0 {
                console.info(format!(
                    "{}: {} moves; {} moves were played in fewer than {} games and omitted (--min-games)",
                    path.display(),
                    count.visited,
                    count.omitted,
                    self.min_games
                ));
            }
        }
        if let Some(path) = &self.castling {
            let table = job.castling_table(&report.tally);
            let format = format(path, output);
            table::write_atomically(path, |out| table::write(&table, format, out))
                .or_unfinished()?;
        }
        Ok(StatsReport {
            tally: report.tally,
            damage: report.damage,
            ..StatsReport::default()
        })
    }

    fn paths(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let paths = [
            ("opening tree", &self.moves),
            ("castling table", &self.castling),
        ];
        let given = |(name, path)| Option::as_deref(path).map(|path| (name, path));
        paths.into_iter().filter_map(given)
    }
}

fn format(path: &Path, output: &OutputArgs) -> Format {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let by_name = extension.and_then(|extension| extension.parse().ok());
    by_name.unwrap_or(output.format())
}
