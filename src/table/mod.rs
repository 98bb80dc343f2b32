//! Result tables: what every command produces and every output format writes.
//!
//! A job hands over rows of its own type and a list of [`Column`]s that say how each cell is computed from a row. They
//! make a [`Table`]: a schema, the flags that decided the result, column names and cells. [`write()`] formats it as any
//! [`Format`], [`write_atomically`] replaces a file in one step, and [`read`] parses tables that other programs wrote.
//!
//! The module knows no chess and no clock: a table holds nothing that depends on time, threads, host or scheduling, so
//! equal results are equal bytes.

mod atomic_file;
mod builtin;
mod cell;
mod command;
pub mod read;
pub(crate) mod temporary_file;
mod write;

use std::borrow::{Borrow, Cow};

pub(crate) use atomic_file::directory_of;
pub use atomic_file::{AtomicWriteError, check_writable, is_same_file, write_atomically};
pub use builtin::{Builtin, UnknownBuiltin};
pub use cell::{Cell, Number};
pub use command::CommandText;
pub use write::{
    Format, RowFormatter, TableStream, UnknownFormat, WriteError, escape_control, write,
};

/// A column of a job's table: its name, and how its cell is computed from a row.
pub struct Column<R> {
    name: Cow<'static, str>,
    cell: Box<dyn Fn(&R) -> Cell>,
}

/// A result that can be written in any format.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    schema: &'static str,
    command: String,
    columns: Vec<Cow<'static, str>>,
    rows: Vec<Vec<Cell>>,
}

impl<R> Column<R> {
    /// A column with this name, which may be made at run time, as for `d1` to `dN`.
    pub fn new(name: impl Into<Cow<'static, str>>, cell: impl Fn(&R) -> Cell + 'static) -> Self {
        Self {
            name: name.into(),
            cell: Box::new(cell),
        }
    }
}

impl Table {
    /// An empty table. `schema` is a name with a version, `ninesixty.perft/1`; `command` holds the
    /// flags that decide the result and none that do not, so that it reads the same for every
    /// thread count.
    ///
    /// Column names must be distinct, as a row is a JSON object.
    pub fn new<N>(
        schema: &'static str,
        command: impl Into<String>,
        columns: impl IntoIterator<Item = N>,
    ) -> Self
    where
        N: Into<Cow<'static, str>>,
    {
        let columns: Vec<_> = columns.into_iter().map(Into::into).collect();
        debug_assert!(
            (1..columns.len()).all(|i| !columns[..i].contains(&columns[i])),
            "{schema} names a column twice: {columns:?}"
        );
        Self {
            schema,
            command: command.into(),
            columns,
            rows: Vec::new(),
        }
    }

    /// A table with a cell for every column and row.
    ///
    /// ```
    /// use ninesixty::table::{Column, Table};
    ///
    /// struct Row { id: u16, counts: Vec<u64> }
    ///
    /// let mut columns = vec![Column::new("id", |row: &Row| row.id.into())];
    /// columns.extend((1..=2).map(|depth| {
    ///     Column::new(format!("d{depth}"), move |row: &Row| row.counts.get(depth - 1).copied().into())
    /// }));
    /// let rows = [Row { id: 518, counts: vec![20, 400] }];
    /// let table = Table::from_rows("ninesixty.perft/1", "perft 518 --depth 2", &columns, &rows);
    /// assert_eq!(table.columns(), ["id", "d1", "d2"]);
    /// ```
    pub fn from_rows<R>(
        schema: &'static str,
        command: impl Into<String>,
        columns: &[Column<R>],
        rows: impl IntoIterator<Item: Borrow<R>>,
    ) -> Self {
        let mut table = Self::new(schema, command, columns.iter().map(|c| c.name.clone()));
        for row in rows {
            table.push(columns.iter().map(|c| (c.cell)(row.borrow())).collect());
        }
        table
    }

    /// Adds a row, which must have one cell per column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(
            row.len(),
            self.columns.len(),
            "cells of a {} row",
            self.schema
        );
        self.rows.push(row);
    }

    /// The name and version of the schema, such as `ninesixty.perft/1`.
    pub fn schema(&self) -> &'static str {
        self.schema
    }

    /// The command with the flags that decide the result.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The column names.
    pub fn columns(&self) -> &[Cow<'static, str>] {
        &self.columns
    }

    /// The rows, each with one cell per column.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// The index of the column with this name.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// Whether all values of the column are numbers, so that it is aligned to the right.
    pub fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self
            .rows
            .iter()
            .map(|row| &row[column])
            .filter(|cell| **cell != Cell::Missing)
            .peekable();
        cells.peek().is_some() && cells.all(Cell::is_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_numbers_and_missing_values_is_numeric() {
        let mut table = Table::new("test/1", "", ["count", "mixed", "empty"]);
        table.push(vec![20_u64.into(), 1_u64.into(), Cell::Missing]);
        table.push(vec![Cell::Missing, "x".into(), Cell::Missing]);
        assert_eq!(
            [0, 1, 2].map(|column| table.is_numeric(column)),
            [true, false, false]
        );
    }

    #[test]
    #[should_panic(expected = "cells of a test/1 row")]
    fn a_row_of_the_wrong_width_is_a_bug() {
        Table::new("test/1", "", ["a", "b"]).push(vec![Cell::Missing]);
    }

    #[test]
    #[should_panic(expected = "names a column twice")]
    fn a_column_named_twice_is_a_bug() {
        Table::new("test/1", "", ["a", "b", "a"]);
    }
}
