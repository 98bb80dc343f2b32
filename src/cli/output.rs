//! `--output` and `--format`: where a table is written, and how.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use ninesixty::table::{self, AtomicWriteError, Builtin, Format, Table, WriteError};

use super::exit::{Failure, OrFail};

#[derive(Args)]
pub struct OutputArgs {
    /// Output format: text, csv, json, jsonl or md; epd for tables of positions
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write to this file instead of standard output; it is replaced only when the output is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArgs {
    pub fn is_text(&self) -> bool {
        self.format == Format::Text
    }

    /// Whether the format is for people rather than programs.
    pub fn is_for_people(&self) -> bool {
        matches!(self.format, Format::Text | Format::Md)
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// The output file; `None` for standard output.
    pub fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    pub fn is_epd(&self) -> bool {
        self.format == Format::Epd
    }

    pub fn is_terminal(&self) -> bool {
        self.output.is_none() && io::stdout().is_terminal()
    }

    /// Fails if a table with these columns cannot be written, before hours of work are spent on it.
    pub fn preflight(&self, empty: &Table) -> Result<(), Failure> {
        table::write(empty, self.format, &mut io::sink()).or_usage()?;
        match &self.output {
            Some(path) => table::check_writable(path).or_unfinished(),
            None => Ok(()),
        }
    }

    /// Fails if the table would overwrite one of the files that it is made from, also if standard output is redirected
    /// to it.
    pub fn refuse_overwrite<'p>(
        &self,
        sources: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Failure> {
        let output = self.path().unwrap_or("/dev/stdout".as_ref());
        refuse_same_file("output", output, sources)
    }

    /// Writes a table.
    pub fn write(&self, table: &Table) -> Result<(), Failure> {
        self.write_with(|out| table::write(table, self.format, out))
    }

    /// Writes a table of results; an empty one is not printed as text.
    pub fn write_results(&self, table: &Table) -> Result<(), Failure> {
        if table.rows().is_empty() && self.is_text() && self.output.is_none() {
            return Ok(());
        }
        self.write(table)
    }

    /// Writes what `fill` writes.
    pub fn write_with(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
    ) -> Result<(), Failure> {
        match &self.output {
            Some(path) => table::write_atomically(path, fill).map_err(|error| match error {
                AtomicWriteError::Content {
                    source: source @ (WriteError::NoFenColumn { .. } | WriteError::NotEpd { .. }),
                    ..
                } => Failure::Usage(source.into()),
                AtomicWriteError::File { source, .. } if source.kind() == ErrorKind::BrokenPipe => {
                    Failure::BrokenPipe
                }
                error => Failure::Unfinished(error.into()),
            }),
            None => print(fill),
        }
    }
}

/// Fails if the file that is to be written is one of the files that are read or written otherwise.
pub fn refuse_same_file<'p>(
    name: &str,
    path: &Path,
    others: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    // What is built in is read from no file, though a file may have such a name.
    let is_builtin = |path: &Path| matches!(Builtin::find(path), Ok(Some(_)));
    let mut others = others.into_iter();
    match others.find(|other| !is_builtin(other) && table::is_same_file(other, path)) {
        Some(other) => {
            let other = other.display();
            Err(anyhow!("the {name} would overwrite {other}")).or_usage()
        }
        None => Ok(()),
    }
}

/// Prints bytes that are not a table.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    print(|out| Ok(out.write_all(bytes)?))
}

fn print(fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match fill(&mut out) {
        Ok(()) => out.flush().map_err(Failure::writing),
        Err(WriteError::Io(error)) => Err(Failure::writing(error)),
        Err(error) => Err(error).or_usage(),
    }
}
