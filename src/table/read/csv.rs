//! CSV tables: a header, then records with one field per column.
//!
//! [`Sheet`] is a parsed file whose columns are found by name. Fields are text as it is written; [`Sheet::count`]
//! parses one as a number.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{
    LineError, TableReadError, column_depth, decode, excerpt, line_error, load, parse_digits,
};

/// A valid CSV file: every record has one field per column.
#[derive(Clone, Debug)]
pub struct Sheet {
    path: PathBuf,
    header: CsvRecord,
    records: Vec<CsvRecord>,
}

/// One record of a CSV file.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvRecord {
    /// The line on which the record begins, counted from 1.
    pub line: usize,
    /// The fields, one per column.
    pub fields: Vec<String>,
}

impl Sheet {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, TableReadError> {
        Self::parse(path, &load(path)?)
    }

    /// Parses the content of a file. `path` is only used in errors.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, TableReadError> {
        let mut records = split(&decode(path, bytes)?).into_iter();
        let header = records
            .next()
            .ok_or_else(|| line_error(path, 1, LineError::NoHeader))?;
        let sheet = Self {
            path: path.to_owned(),
            header,
            records: records.collect(),
        };
        sheet
            .check()
            .map_err(|(line, error)| line_error(path, line, error))?;
        Ok(sheet)
    }

    /// The column names.
    pub fn columns(&self) -> &[String] {
        &self.header.fields
    }

    /// The records after the header.
    pub fn records(&self) -> &[CsvRecord] {
        &self.records
    }

    /// The index of the column with this name.
    pub fn position(&self, name: &str) -> Result<usize, TableReadError> {
        self.columns()
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| {
                let present = self
                    .columns()
                    .iter()
                    .map(|column| format!("{:?}", excerpt(column)))
                    .collect();
                line_error(
                    &self.path,
                    self.header.line,
                    LineError::NoColumn {
                        name: name.to_owned(),
                        present,
                    },
                )
            })
    }

    /// The columns of perft counts, `d1`, `d2`, …: their indices and depths.
    pub fn depths(&self) -> Vec<(usize, u32)> {
        let names = self.columns().iter().enumerate();
        names
            .filter_map(|(column, name)| Some((column, column_depth(name)?)))
            .collect()
    }

    /// The number in a field, or `None` for an empty field.
    pub fn count(&self, record: &CsvRecord, column: usize) -> Result<Option<u128>, TableReadError> {
        let value = &record.fields[column];
        if value.is_empty() {
            return Ok(None);
        }
        parse_digits(value).map(Some).ok_or_else(|| {
            let column = self.columns()[column].clone();
            line_error(
                &self.path,
                record.line,
                LineError::NotACount {
                    column,
                    value: excerpt(value),
                },
            )
        })
    }

    fn check(&self) -> Result<(), (usize, LineError)> {
        let columns = self.columns();
        let mut seen = HashSet::new();
        if let Some(column) = columns.iter().find(|&column| !seen.insert(column)) {
            return Err((self.header.line, LineError::ColumnTwice(excerpt(column))));
        }
        match self
            .records
            .iter()
            .find(|record| record.fields.len() != columns.len())
        {
            Some(CsvRecord { line, fields }) => Err((
                *line,
                LineError::FieldCount {
                    found: fields.len(),
                    expected: columns.len(),
                },
            )),
            None => Ok(()),
        }
    }
}

fn split(text: &str) -> Vec<CsvRecord> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    reader
        .records()
        .map(|record| {
            record.expect(
                "reading from memory does not fail, and records may have any number of fields",
            )
        })
        .map(|record| CsvRecord {
            line: first_line(text, record.position()),
            fields: record.iter().map(str::to_owned).collect(),
        })
        .collect()
}

/// The line on which a record begins. The csv crate gives the line after the previous record, which is earlier if there
/// are blank lines between them.
fn first_line(text: &str, position: Option<&::csv::Position>) -> usize {
    let position = position.expect("a record that was read has a position");
    let offset = usize::try_from(position.byte()).expect("the text is in memory");
    let line = usize::try_from(position.line()).expect("a text has no more lines than bytes");
    line + text[offset..]
        .bytes()
        .take_while(|&byte| byte == b'\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Format, Table, write};

    fn parse(text: &str) -> Result<Sheet, TableReadError> {
        Sheet::parse(Path::new("t.csv"), text.as_bytes())
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_written_table_reads_back() {
        let mut table = Table::new("ninesixty.test/1", "", ["id", "name", "d1"]);
        table.push(vec![0_u16.into(), "a, \"b\"".into(), u128::MAX.into()]);
        table.push(vec![1_u16.into(), "".into(), Cell::Missing]);
        let mut bytes = Vec::new();
        write(&table, Format::Csv, &mut bytes).unwrap();

        let sheet = Sheet::parse(Path::new("t.csv"), &bytes).unwrap();
        assert_eq!(sheet.columns(), ["id", "name", "d1"]);
        assert_eq!(sheet.records()[0].fields[1], "a, \"b\"");
        let d1 = sheet.position("d1").unwrap();
        let counts: Vec<_> = sheet
            .records()
            .iter()
            .map(|record| sheet.count(record, d1).unwrap())
            .collect();
        assert_eq!(counts, [Some(u128::MAX), None]);
    }

    #[test]
    fn a_record_knows_its_line() {
        for end in ["\n", "\r\n", "\r"] {
            let text = [
                "\u{feff}id,d1",
                "",
                "0,20",
                "\"1",
                "\",20",
                "",
                "",
                "2,20",
                "",
            ]
            .join(end);
            let sheet = parse(&text).unwrap();
            assert_eq!(sheet.columns(), ["id", "d1"]);
            let lines: Vec<_> = sheet.records().iter().map(|record| record.line).collect();
            assert_eq!(lines, [3, 4, 8], "{end:?}");
        }
    }

    #[test]
    fn an_invalid_table_is_an_error_with_line_and_reason() {
        assert_eq!(
            error(""),
            "t.csv, line 1: no header: a table begins with the names of its columns"
        );
        assert_eq!(
            error("id,d1,id\n"),
            "t.csv, line 1: the column \"id\" is named twice"
        );
        assert_eq!(
            error("id,d1\n0,20\n1\n"),
            "t.csv, line 3: the header names 2 columns and this line has 1"
        );
        assert_eq!(
            error("id,d1\n0,20,400\n"),
            "t.csv, line 2: the header names 2 columns and this line has 3"
        );
    }

    #[test]
    fn a_missing_column_is_named_with_the_existing_ones() {
        let error = parse("id,d1\n").unwrap().position("fen").unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv, line 1: no column \"fen\"; there are \"id\", \"d1\""
        );
    }

    #[test]
    fn only_depth_columns_hold_counts() {
        let sheet = parse("id,d1,draws,d,d+2,d0,D3,d-4,d10\n").unwrap();
        assert_eq!(sheet.depths(), [(1, 1), (8, 10)]);
    }

    #[test]
    fn an_invalid_count_is_an_error() {
        for value in [
            "x",
            "-1",
            "+1",
            "1.5",
            " 1",
            "340282366920938463463374607431768211456",
        ] {
            let sheet = parse(&format!("id,d1\n0,{value}\n")).unwrap();
            let error = sheet.count(&sheet.records()[0], 1).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("t.csv, line 2: {value:?} in the column \"d1\" is not a count")
            );
        }
    }
}
