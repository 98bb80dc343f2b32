//! Whether two programs have counted the same.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The tables that a program has written.
#[derive(Clone, Copy)]
pub struct Tables<'p> {
    pub starts: &'p Path,
    pub moves: Option<&'p Path>,
}

/// Compares the tables of `stats` with those of the contender, and says where they differ.
///
/// In the table of the starts, the contender leaves out the columns of significance; all others have to be equal, in every
/// row. In the table of moves, any line to a position will do, and the order of the rows follows the lines; without the
/// column `line`, the rows have to be the same.
pub fn compare(ours: Tables, theirs: Tables) -> Result<(), String> {
    let (our_starts, their_starts) = (read(ours.starts)?, read(theirs.starts)?);
    let names: Vec<&str> = their_starts.first().map_or(Vec::new(), |row| columns(row));
    equal_rows(
        &select(&our_starts, &names)?,
        &select(&their_starts, &names)?,
    )?;
    if let (Some(ours), Some(theirs)) = (ours.moves, theirs.moves) {
        equal_rows(&moves(&read(ours)?)?, &moves(&read(theirs)?)?)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path);
    let text =
        text.map_err(|error: io::Error| format!("cannot read {}: {error}", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// The fields of a line. None of these tables quotes any.
fn columns(line: &str) -> Vec<&str> {
    line.split(',').collect()
}

/// The named columns of a table, in the order of the names.
fn select(table: &[String], names: &[&str]) -> Result<Vec<String>, String> {
    let header = table.first().map_or(Vec::new(), |row| columns(row));
    let places: BTreeMap<&str, usize> = header.iter().copied().zip(0..).collect();
    let places = names
        .iter()
        .map(|name| places.get(name).ok_or_else(|| format!("no column {name}")));
    let places: Vec<&usize> = places.collect::<Result<_, _>>()?;
    let rows = table.iter().map(|row| {
        let fields = columns(row);
        let fields: Vec<&str> = places.iter().map(|&&place| fields[place]).collect();
        fields.join(",")
    });
    Ok(rows.collect())
}

/// The rows of a table of moves without the lines, in a fixed order.
fn moves(table: &[String]) -> Result<Vec<String>, String> {
    let header = table.first().map_or(Vec::new(), |row| columns(row));
    let names: Vec<&str> = header.into_iter().filter(|name| *name != "line").collect();
    let mut rows = select(table, &names)?;
    rows.sort_unstable();
    Ok(rows)
}

fn equal_rows(ours: &[String], theirs: &[String]) -> Result<(), String> {
    let differing = ours
        .iter()
        .zip(theirs)
        .find(|(ours, theirs)| ours != theirs);
    if let Some((ours, theirs)) = differing {
        return Err(format!("rows differ\nours   {ours}\ntheirs {theirs}"));
    }
    if ours.len() != theirs.len() {
        return Err(format!("{} rows and {} rows", ours.len(), theirs.len()));
    }
    Ok(())
}
