//! Which files are read: those that were named, and those in directories that were.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::cli::exit::{Failure, OrFail};

/// Something to read games from.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    name: String,
    /// `None` for standard input.
    path: Option<PathBuf>,
    /// How large the file is, as it lies there; `None` for what is not a file.
    bytes: Option<u64>,
}

/// A file in a directory is read if its name ends like this; others are somebody else's.
const ENDINGS: [&str; 4] = [".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2"];

/// A compressed file stands for so much more text.
const USUAL_RATIO: u64 = 7;

impl Input {
    /// The name as it was given, by which a ledger knows the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether it can be read only once.
    pub fn is_stream(&self) -> bool {
        self.bytes.is_none()
    }

    /// How long it may take to read, beside others.
    pub fn cost(&self) -> u64 {
        let ratio = if self.name.ends_with(".pgn") {
            1
        } else {
            USUAL_RATIO
        };
        self.bytes.unwrap_or(1).saturating_mul(ratio).max(1)
    }
}

/// The inputs that were asked for, each once, in the order of their names.
pub fn find(given: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for path in given {
        if path.as_os_str() == "-" {
            inputs.push(Input {
                name: "-".to_owned(),
                path: None,
                bytes: None,
            });
        } else {
            add(path, &mut inputs)?;
        }
    }
    inputs.sort();
    inputs.dedup();
    Ok(inputs)
}

fn add(path: &Path, inputs: &mut Vec<Input>) -> Result<(), Failure> {
    let shown = path.display();
    let found = fs::metadata(path).with_context(|| format!("cannot open {shown}"));
    let found = found.or_input()?;
    if !found.is_dir() {
        inputs.push(Input {
            name: shown.to_string(),
            path: Some(path.to_owned()),
            bytes: found.is_file().then_some(found.len()),
        });
        return Ok(());
    }
    let before = inputs.len();
    add_directory(path, inputs)?;
    if inputs.len() == before {
        let endings = ENDINGS.join(", ");
        return Err(anyhow!("{shown} holds no files that end in {endings}")).or_input();
    }
    Ok(())
}

fn add_directory(path: &Path, inputs: &mut Vec<Input>) -> Result<(), Failure> {
    let failed = || format!("cannot list {}", path.display());
    for entry in fs::read_dir(path).with_context(failed).or_input()? {
        let entry = entry.with_context(failed).or_input()?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        // A link to a directory could lead in circles.
        if entry.file_type().with_context(failed).or_input()?.is_dir() {
            add_directory(&path, inputs)?;
        } else if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            add(&path, inputs)?;
        }
    }
    Ok(())
}

/// How much there is to read of these, if that is known of all.
pub fn total_bytes<'i>(inputs: impl IntoIterator<Item = &'i Input>) -> Option<u64> {
    inputs.into_iter().map(|input| input.bytes).sum()
}
