//! More records than fit into memory, in order.
//!
//! An external merge sort: takes batches of records, each in ascending order, and returns all records in ascending order.
//! Batches are kept in temporary files without a name, which the system deletes when the process ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Batches of records that all have the same length.
#[derive(Debug)]
pub struct Runs {
    record_bytes: usize,
    files: Vec<File>,
}

/// The records of all batches in ascending order, equal ones one after the other.
pub struct SortedRecords {
    record_bytes: usize,
    files: Vec<BufReader<File>>,
    /// The next record of each file.
    next: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
}

impl Runs {
    pub fn new(record_bytes: usize) -> Runs {
        Runs {
            record_bytes,
            files: Vec::new(),
        }
    }

    /// Whether no batch has been written.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes a batch of records that are in order.
    pub fn push<R: AsRef<[u8]>>(&mut self, records: impl IntoIterator<Item = R>) -> io::Result<()> {
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for record in records {
            debug_assert_eq!(record.as_ref().len(), self.record_bytes);
            out.write_all(record.as_ref())?;
        }
        self.files.push(out.into_inner()?);
        Ok(())
    }

    /// All records, in order.
    pub fn sorted(self) -> io::Result<SortedRecords> {
        let mut records = SortedRecords {
            record_bytes: self.record_bytes,
            files: Vec::new(),
            next: BinaryHeap::new(),
        };
        for (index, mut file) in self.files.into_iter().enumerate() {
            file.rewind()?;
            records.files.push(BufReader::new(file));
            records.refill(index)?;
        }
        Ok(records)
    }
}

impl SortedRecords {
    fn refill(&mut self, index: usize) -> io::Result<()> {
        let mut record = vec![0; self.record_bytes];
        match self.files[index].read_exact(&mut record) {
            Ok(()) => self.next.push(Reverse((record, index))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl Iterator for SortedRecords {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        let Reverse((record, index)) = self.next.pop()?;
        Some(self.refill(index).map(|()| record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_come_out_as_one_in_order() {
        let mut runs = Runs::new(2);
        assert!(runs.is_empty());
        runs.push(["ab", "cd", "cd"]).unwrap();
        runs.push(Vec::<&str>::new()).unwrap();
        runs.push(["aa", "cd", "zz"]).unwrap();
        let sorted: Vec<Vec<u8>> = runs.sorted().unwrap().map(Result::unwrap).collect();
        assert_eq!(
            sorted,
            ["aa", "ab", "cd", "cd", "cd", "zz"].map(|text| text.as_bytes().to_vec())
        );
    }
}
