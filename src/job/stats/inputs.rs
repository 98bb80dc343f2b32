//! The PGN files that are read: those that were named, and those in directories that were.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::pgn::{ReadError, Source, SourceOptions};
use crate::run::Cancel;
use crate::table::{Builtin, UnknownBuiltin};

/// A source of games.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PgnInput {
    /// The path as it was given, `-` for standard input, or the name of a [`Builtin`].
    name: String,
    /// The size of the file on the disk; `None` for what is not a regular file.
    bytes: Option<u64>,
    /// The digest of its content, for runs with a ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// When the file was last modified before it was digested.
    #[serde(skip)]
    modified: Option<SystemTime>,
    /// Other paths of the same file.
    #[serde(skip)]
    other_names: Vec<String>,
}

/// Why there is nothing to read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A path cannot be opened or listed.
    #[error("cannot {operation} {}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The path.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A directory has no PGN files.
    #[error("{} holds no files whose names end in {}", path.display(), EXTENSIONS.join(", "))]
    NoFiles {
        /// The directory.
        path: PathBuf,
    },
    /// A path begins with `@`, and nothing of that name is built in.
    #[error(transparent)]
    UnknownBuiltin(#[from] UnknownBuiltin),
    /// A pipe has no content to be recognised by.
    #[error("{0} cannot be read twice, which a ledger needs")]
    Stream(String),
}

/// A file in a directory is read if its name ends like this.
const EXTENSIONS: [&str; 4] = [".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2"];

/// What PGN text usually compresses to.
const USUAL_RATIO: u64 = 7;

const STANDARD_INPUT: &str = "-";

impl PgnInput {
    /// The path as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Other paths that were given for the same file: links to it, or other spellings. It is read once.
    pub fn other_names(&self) -> &[String] {
        &self.other_names
    }

    /// The path of a file; `None` for standard input and for what is built in.
    pub fn path(&self) -> Option<&Path> {
        let is_file = self.name != STANDARD_INPUT && self.builtin().is_none();
        is_file.then(|| Path::new(&self.name))
    }

    /// The device and the inode, which a file has in common with its links. `None` for what is built in.
    fn file_id(&self) -> Option<(u64, u64)> {
        if self.builtin().is_some() {
            return None;
        }
        let path = self.path().unwrap_or("/dev/stdin".as_ref());
        let found = fs::metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    }

    fn builtin(&self) -> Option<&'static Builtin> {
        Builtin::find(Path::new(&self.name)).ok().flatten()
    }

    /// The size of the file on the disk, if it is one.
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// What the file holds, if it has been digested, or else its name.
    pub(super) fn id(&self) -> String {
        match (&self.sha256, self.bytes) {
            (Some(sha256), Some(bytes)) => format!("sha256:{sha256}:{bytes}"),
            _ => self.name.clone(),
        }
    }

    /// How long it may take to read, relative to others.
    pub(super) fn cost(&self) -> u64 {
        let ratio = if self.name.ends_with(".pgn") {
            1
        } else {
            USUAL_RATIO
        };
        self.bytes.unwrap_or(1).saturating_mul(ratio).max(1)
    }

    /// Opens the file, which has to be the one that was digested.
    pub(super) fn open(&self, options: SourceOptions) -> Result<Source, ReadError> {
        if let Some(builtin) = self.builtin() {
            return Source::stream(self.name.as_ref(), builtin.bytes);
        }
        let Some(path) = self.path() else {
            return Source::stream(self.name.as_ref(), io::stdin());
        };
        if self.modified.is_some() {
            let found = fs::metadata(path).ok();
            let is_same = |found: &Metadata| {
                (Some(found.len()), found.modified().ok()) == (self.bytes, self.modified)
            };
            if !found.as_ref().is_some_and(is_same) {
                let path = path.to_owned();
                return Err(ReadError::Changed { path });
            }
        }
        Source::open(path, options)
    }

    /// The same input with the digest of its content; `None` if it was cancelled.
    pub(super) fn digested(&self, cancel: &Cancel) -> Result<Option<PgnInput>, InputError> {
        if let Some(builtin) = self.builtin() {
            return Ok(Some(PgnInput {
                sha256: Some(hex::encode(Sha256::digest(builtin.bytes))),
                ..self.clone()
            }));
        }
        let Some((path, _)) = self.path().zip(self.bytes) else {
            return Err(InputError::Stream(self.name.clone()));
        };
        let failed = failed("read", path);
        let mut file = File::open(path).map_err(&failed)?;
        let before = file.metadata().map_err(&failed)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 20];
        loop {
            if cancel.is_set() {
                return Ok(None);
            }
            match file.read(&mut buffer).map_err(&failed)? {
                0 => break,
                count => hash.update(&buffer[..count]),
            }
        }
        Ok(Some(PgnInput {
            bytes: Some(before.len()),
            sha256: Some(hex::encode(hash.finalize())),
            modified: before.modified().ok(),
            ..self.clone()
        }))
    }
}

/// The inputs at these paths, each once, in the order of their names. `-` is standard input, and a path such as
/// `@mainz2009` names a [`Builtin`]. Several paths of one file are one input, see [`PgnInput::other_names`].
pub fn find_inputs(paths: &[PathBuf]) -> Result<Vec<PgnInput>, InputError> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == STANDARD_INPUT {
            inputs.push(input(STANDARD_INPUT.to_owned(), None));
        } else if let Some(builtin) = Builtin::find(path)? {
            let bytes = builtin.bytes.len() as u64;
            inputs.push(input(builtin.name.to_owned(), Some(bytes)));
        } else {
            add(path, &mut inputs)?;
        }
    }
    inputs.sort();
    inputs.dedup();
    Ok(each_file_once(inputs))
}

/// Keeps the first path of each file.
fn each_file_once(inputs: Vec<PgnInput>) -> Vec<PgnInput> {
    let mut distinct: Vec<PgnInput> = Vec::new();
    let mut known: HashMap<(u64, u64), usize> = HashMap::new();
    for input in inputs {
        let found = input
            .file_id()
            .map(|id| *known.entry(id).or_insert(distinct.len()));
        match found.and_then(|index| distinct.get_mut(index)) {
            Some(first) => first.other_names.push(input.name),
            None => distinct.push(input),
        }
    }
    distinct
}

fn input(name: String, bytes: Option<u64>) -> PgnInput {
    PgnInput {
        name,
        bytes,
        sha256: None,
        modified: None,
        other_names: Vec::new(),
    }
}

fn add(path: &Path, inputs: &mut Vec<PgnInput>) -> Result<(), InputError> {
    let found = fs::metadata(path).map_err(failed("open", path))?;
    if !found.is_dir() {
        let bytes = found.is_file().then_some(found.len());
        inputs.push(input(path.display().to_string(), bytes));
        return Ok(());
    }
    let before = inputs.len();
    add_directory(path, inputs)?;
    if inputs.len() == before {
        let path = path.to_owned();
        return Err(InputError::NoFiles { path });
    }
    Ok(())
}

fn add_directory(directory: &Path, inputs: &mut Vec<PgnInput>) -> Result<(), InputError> {
    let failed = failed("list", directory);
    for entry in fs::read_dir(directory).map_err(&failed)? {
        let entry = entry.map_err(&failed)?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        // A link to a directory could lead in circles.
        if entry.file_type().map_err(&failed)?.is_dir() {
            add_directory(&path, inputs)?;
        } else if EXTENSIONS.iter().any(|ending| name.ends_with(ending)) {
            add(&path, inputs)?;
        }
    }
    Ok(())
}

fn failed(operation: &'static str, path: &Path) -> impl Fn(io::Error) -> InputError {
    move |source| InputError::Io {
        operation,
        path: path.to_owned(),
        source,
    }
}
