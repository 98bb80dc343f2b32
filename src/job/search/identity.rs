//! What an engine is, as far as that decides what it finds.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::EngineSpec;
use crate::search::evaluation::nnue;
use crate::uci::CommandLine;

/// An engine with everything that decides what it finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineIdentity {
    /// The engine of this program.
    Own {
        /// The size of its transposition table.
        hash_bytes: usize,
        /// The SHA-256 of its network.
        network: String,
    },
    /// Another engine.
    Uci {
        /// What it calls itself (`id name`).
        name: String,
        /// The options that are set, by name.
        options: Vec<(String, String)>,
        /// The SHA-256 of the program, and of every argument that is a file: two engines may have one name.
        files: Vec<String>,
    },
}

impl EngineIdentity {
    pub(super) fn own(hash_bytes: usize) -> EngineIdentity {
        EngineIdentity::Own {
            hash_bytes,
            network: hex::encode(Sha256::digest(nnue::network_bytes())),
        }
    }

    pub(super) fn uci(name: String, spec: &EngineSpec) -> EngineIdentity {
        let mut options = spec.options.clone();
        options.sort();
        EngineIdentity::Uci {
            name,
            options,
            files: digests(&spec.command),
        }
    }
}

/// The engine as the command of a table names it.
impl fmt::Display for EngineIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineIdentity::Own { hash_bytes, .. } => {
                let version = env!("CARGO_PKG_VERSION");
                write!(f, "ninesixty {version} --hash {hash_bytes}")
            }
            EngineIdentity::Uci { name, options, .. } => {
                f.write_str(name)?;
                for (name, value) in options {
                    write!(f, " --engine-option {name}={value}")?;
                }
                Ok(())
            }
        }
    }
}

fn digests(command: &CommandLine) -> Vec<String> {
    let program = find_program(command.program());
    let arguments = command.arguments().iter().map(PathBuf::from);
    let files = program.into_iter().chain(arguments);
    files.filter_map(|file| digest(&file)).collect()
}

/// The file that the system would run.
fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(program.into());
    }
    let path = env::var_os("PATH")?;
    let mut candidates = env::split_paths(&path).map(|directory| directory.join(program));
    candidates.find(|candidate| candidate.is_file())
}

fn digest(file: &Path) -> Option<String> {
    let is_file = fs::metadata(file).is_ok_and(|found| found.is_file());
    let content = is_file.then(|| fs::read(file).ok())??;
    Some(hex::encode(Sha256::digest(content)))
}
