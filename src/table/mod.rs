//! What every verb hands over and every output format writes: one table.
//!
//! In walk the rows of a job, of whatever type the job calls its own, and a list of [`Column`]s
//! that says how each cell is read off such a row. Out walks a [`Table`]: a schema, the flags that
//! decided the result, column names and cells. [`write()`] turns it into bytes of any [`Format`],
//! [`store()`] puts bytes into a file whole or not at all, and [`read`] takes tables that someone
//! else wrote.
//!
//! The room knows no chess and no clock: a table holds nothing that depends on time, thread, host
//! or scheduling, so equal results are equal bytes.

mod cell;
pub mod read;
mod store;
mod write;

use std::borrow::{Borrow, Cow};

pub use cell::{Cell, Number};
pub(crate) use store::directory_of;
pub use store::{StoreError, check_store, is_same_place, store};
pub use write::{Format, UnknownFormat, WriteError, reveal, write};

/// A column of a job's table: its name, and how its cell is read off a row.
pub struct Column<R> {
    name: Cow<'static, str>,
    cell: Box<dyn Fn(&R) -> Cell>,
}

/// A result, ready to be written in any format.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    schema: &'static str,
    command: String,
    columns: Vec<Cow<'static, str>>,
    rows: Vec<Vec<Cell>>,
}

impl<R> Column<R> {
    /// Names a column. The name may be made at run time, for columns such as `d1` to `dN`.
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
    /// Columns have different names: a row is a JSON object.
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

    /// Reads every column off every row.
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

    /// Adds a row, which has one cell per column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(
            row.len(),
            self.columns.len(),
            "cells of a {} row",
            self.schema
        );
        self.rows.push(row);
    }

    pub fn schema(&self) -> &'static str {
        self.schema
    }

    pub fn command(&self) -> &str {
        &self.command
    }

    pub fn columns(&self) -> &[Cow<'static, str>] {
        &self.columns
    }

    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Where the column of this name stands, if there is one.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// Whether the column holds numbers and nothing else, and so is aligned to the right.
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
    fn a_column_of_numbers_with_gaps_is_numeric() {
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
