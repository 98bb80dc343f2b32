//! Parquet: for data frames and databases. Needs the feature `parquet`.
//!
//! The type of a column follows from its values: 64-bit integers, doubles, Booleans, or else text. A missing value is
//! null. The file's metadata holds the schema, the version and the command.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::table::{Cell, Table};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnType {
    Integer,
    Double,
    Flag,
    Text,
}

pub fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let bytes = bytes_of(table).map_err(io::Error::other)?;
    out.write_all(&bytes)
}

fn bytes_of(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let types: Vec<ColumnType> = (0..table.columns().len())
        .map(|column| column_type(table, column))
        .collect();
    let mut fields = Vec::new();
    for (name, column_type) in table.columns().iter().zip(&types) {
        fields.push(Arc::new(field(name, *column_type)?));
    }
    let schema = Type::group_type_builder("table")
        .with_fields(fields)
        .build()?;
    let metadata = [
        ("schema", table.schema()),
        ("version", env!("CARGO_PKG_VERSION")),
        ("command", table.command()),
    ];
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(metadata.to_vec()))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (column, column_type) in types.iter().enumerate() {
        let cells: Vec<&Cell> = table.rows().iter().map(|row| &row[column]).collect();
        let levels: Vec<i16> = cells
            .iter()
            .map(|cell| i16::from(**cell != Cell::Missing))
            .collect();
        let cells = cells.into_iter().filter(|cell| **cell != Cell::Missing);
        let Some(mut writer) = group.next_column()? else {
            break;
        };
        match column_type {
            ColumnType::Integer => {
                let values: Vec<i64> = cells.filter_map(integer).collect();
                writer
                    .typed::<Int64Type>()
                    .write_batch(&values, Some(&levels), None)?;
            }
            ColumnType::Double => {
                let values: Vec<f64> = cells.filter_map(double).collect();
                writer
                    .typed::<DoubleType>()
                    .write_batch(&values, Some(&levels), None)?;
            }
            ColumnType::Flag => {
                let values: Vec<bool> = cells.map(|cell| *cell == Cell::Flag(true)).collect();
                writer
                    .typed::<BoolType>()
                    .write_batch(&values, Some(&levels), None)?;
            }
            ColumnType::Text => {
                let values: Vec<ByteArray> = cells.map(text).collect();
                writer
                    .typed::<ByteArrayType>()
                    .write_batch(&values, Some(&levels), None)?;
            }
        }
        writer.close()?;
    }
    group.close()?;
    file.into_inner()
}

fn field(name: &str, column_type: ColumnType) -> Result<Type, ParquetError> {
    let (physical, converted) = match column_type {
        ColumnType::Integer => (Physical::INT64, ConvertedType::NONE),
        ColumnType::Double => (Physical::DOUBLE, ConvertedType::NONE),
        ColumnType::Flag => (Physical::BOOLEAN, ConvertedType::NONE),
        ColumnType::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_converted_type(converted)
        .build()
}

/// The narrowest type that can represent every value of a column.
fn column_type(table: &Table, column: usize) -> ColumnType {
    let all = |is: fn(&Cell) -> bool| {
        let mut cells = table.rows().iter().map(|row| &row[column]);
        cells.all(|cell| *cell == Cell::Missing || is(cell))
    };
    if all(|cell| integer(cell).is_some()) {
        ColumnType::Integer
    } else if all(|cell| double(cell).is_some()) {
        ColumnType::Double
    } else if all(|cell| matches!(cell, Cell::Flag(_))) {
        ColumnType::Flag
    } else {
        ColumnType::Text
    }
}

fn integer(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Count(count) => i64::try_from(*count).ok(),
        Cell::Integer(integer) => Some(*integer),
        _ => None,
    }
}

/// The number rounded to its decimals, so that it equals what the text formats show.
fn double(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn text(cell: &Cell) -> ByteArray {
    cell.machine_text(str::to_owned, "").into_bytes().into()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;
    use crate::table::write::tests::{sample, untrusted};

    #[test]
    fn every_kind_of_cell_reads_back() {
        let bytes = bytes_of(&sample()).unwrap();
        let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let metadata = file
            .metadata()
            .file_metadata()
            .key_value_metadata()
            .unwrap();
        assert!(metadata.iter().any(|pair| pair.key == "command"));
        let rows: Vec<_> = file
            .get_row_iter(None)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].get_long(0).unwrap(), 518);
        assert!(rows[0].get_string(1).unwrap().starts_with("rnbqkbnr/"));
        assert_eq!(rows[0].get_long(3).unwrap(), 119_060_324);
        assert_eq!(rows[0].get_double(4).unwrap(), 20.5);
        assert!(rows[0].get_bool(5).unwrap());
        assert!(rows[1].get_long(0).is_err() && rows[1].get_long(3).is_err());
        assert_eq!(rows[1].get_double(4).unwrap(), -0.25);
    }

    #[test]
    fn text_is_unchanged_and_the_same_table_gives_the_same_bytes() {
        let table = untrusted(&["=1+1", "\u{1b}[2J", "棋"]);
        let bytes = bytes_of(&table).unwrap();
        assert_eq!(bytes_of(&table).unwrap(), bytes);
        let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let texts = file.get_row_iter(None).unwrap().map(|row| {
            let row = row.unwrap();
            row.get_string(0).unwrap().clone()
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["=1+1", "\u{1b}[2J", "棋"]);
    }
}
