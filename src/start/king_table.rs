//! The number of a start by the king table.
//!
//! Who has no computer at hand looks the start up: in a table of the sixty orders of queen, knights,
//! rooks and king, and in a table of the sixteen places of the bishops. The number is 16 times the
//! row of the first plus the row of the second. Back ranks and numbers walk in and out as they do
//! in the formula, but nothing is shared with it: the two tables are written down, and so they check
//! the formula and the formula checks them.

use super::{BackRank, Letters, StartId};

/// The orders of the six pieces other than bishops; along a line only the queen travels.
#[rustfmt::skip]
const ORDERS: [&str; 60] = [
    "QNNRKR", "NQNRKR", "NNQRKR", "NNRQKR", "NNRKQR", "NNRKRQ",
    "QNRNKR", "NQRNKR", "NRQNKR", "NRNQKR", "NRNKQR", "NRNKRQ",
    "QNRKNR", "NQRKNR", "NRQKNR", "NRKQNR", "NRKNQR", "NRKNRQ",
    "QNRKRN", "NQRKRN", "NRQKRN", "NRKQRN", "NRKRQN", "NRKRNQ",
    "QRNNKR", "RQNNKR", "RNQNKR", "RNNQKR", "RNNKQR", "RNNKRQ",
    "QRNKNR", "RQNKNR", "RNQKNR", "RNKQNR", "RNKNQR", "RNKNRQ",
    "QRNKRN", "RQNKRN", "RNQKRN", "RNKQRN", "RNKRQN", "RNKRNQ",
    "QRKNNR", "RQKNNR", "RKQNNR", "RKNQNR", "RKNNQR", "RKNNRQ",
    "QRKNRN", "RQKNRN", "RKQNRN", "RKNQRN", "RKNRQN", "RKNRNQ",
    "QRKRNN", "RQKRNN", "RKQRNN", "RKRQNN", "RKRNQN", "RKRNNQ",
];

/// The places of the bishops; along a line only the light-squared bishop travels.
#[rustfmt::skip]
const BISHOPS: [&str; 16] = [
    "BB------", "B--B----", "B----B--", "B------B",
    "-BB-----", "--BB----", "--B--B--", "--B----B",
    "-B--B---", "---BB---", "----BB--", "----B--B",
    "-B----B-", "---B--B-", "-----BB-", "------BB",
];

/// Where a start stands in the king table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KingTableEntry {
    row: usize,
    bishop_code: usize,
}

impl KingTableEntry {
    /// The row of the king table, 0 to 59.
    pub const fn row(self) -> usize {
        self.row
    }

    /// The code of the bishops' places, 0 to 15.
    pub const fn bishop_code(self) -> usize {
        self.bishop_code
    }

    /// The order of queen, knights, rooks and king in this row, such as `RNQKNR`.
    pub const fn order(self) -> &'static str {
        ORDERS[self.row]
    }
}

impl From<StartId> for KingTableEntry {
    fn from(id: StartId) -> Self {
        KingTableEntry {
            row: id.index() / 16,
            bishop_code: id.index() % 16,
        }
    }
}

impl From<KingTableEntry> for StartId {
    fn from(entry: KingTableEntry) -> Self {
        StartId::from_index(16 * entry.row + entry.bishop_code).expect("16 * 59 + 15 is 959")
    }
}

impl From<BackRank> for KingTableEntry {
    fn from(back_rank: BackRank) -> Self {
        let text = Letters::English.write(back_rank);
        let order = text.replace('B', "");
        let bishops = text.replace(|letter| letter != 'B', "-");
        KingTableEntry {
            row: line_of(&order, &ORDERS),
            bishop_code: line_of(&bishops, &BISHOPS),
        }
    }
}

impl From<KingTableEntry> for BackRank {
    fn from(entry: KingTableEntry) -> Self {
        let mut others = entry.order().chars();
        let text: String = BISHOPS[entry.bishop_code]
            .chars()
            .map(|place| match place {
                'B' => 'B',
                _ => others.next().expect("six places are left by two bishops"),
            })
            .collect();
        Letters::English
            .read(&text)
            .expect("every order and every place of the bishops obeys the rules")
    }
}

fn line_of(text: &str, table: &[&str]) -> usize {
    table
        .iter()
        .position(|&line| line == text)
        .expect("the tables hold every order that the rules allow")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> KingTableEntry {
        KingTableEntry::from(text.parse::<BackRank>().unwrap())
    }

    #[test]
    fn the_classical_start_stands_in_row_32_with_bishops_6() {
        let classical = entry("RNBQKBNR");
        assert_eq!(classical.row(), 32);
        assert_eq!(classical.bishop_code(), 6);
        assert_eq!(classical.order(), "RNQKNR");
    }

    #[test]
    fn the_table_runs_from_qnnrkr_to_rkrnnq() {
        assert_eq!((entry("BBQNNRKR").row(), entry("BBNQNRKR").row()), (0, 1));
        assert_eq!((entry("RKRNNQBB").row(), entry("BBRKRNNQ").row()), (59, 59));
    }

    #[test]
    fn the_king_table_and_the_formula_agree_on_all_960_both_ways() {
        for id in StartId::all() {
            let by_formula = BackRank::from(id);
            let by_table = BackRank::from(KingTableEntry::from(id));
            assert_eq!(by_table, by_formula, "start {id}");
            assert_eq!(StartId::from(KingTableEntry::from(by_formula)), id);
            assert_eq!(by_table.id(), id);
        }
    }
}
