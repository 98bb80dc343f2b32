//! Paths of files that are read: `@name` is something that comes with the program.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use ninesixty::table::{Builtin, UnknownBuiltin};

/// Parses the path of an input. A name that begins with `@` and is not built in is a usage error.
pub fn input_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        Builtin::find(&path)?;
        Ok::<PathBuf, UnknownBuiltin>(path)
    })
}
