//! The number of a start by the king's table, the method for looking it up without a computer.
//!
//! One table has the sixty orders of queen, knights, rooks and king, another the sixteen placements of the bishops.
//! The number is 16 times the row in the first plus the row in the second. Both tables are written out and share
//! nothing with Scharnagl's formula, so that each is a test of the other.

use super::{BackRank, Letters, StartId};

/// The orders of the six pieces other than bishops. Within a line only the queen's place changes.
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

/// The placements of the bishops. Within a line only the place of the light-squared bishop changes.
#[rustfmt::skip]
const BISHOPS: [&str; 16] = [
    "BB------", "B--B----", "B----B--", "B------B",
    "-BB-----", "--BB----", "--B--B--", "--B----B",
    "-B--B---", "---BB---", "----BB--", "----B--B",
    "-B----B-", "---B--B-", "-----BB-", "------BB",
];

/// The place of a start in the king's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KingTableEntry {
    row: usize,
    bishop_code: usize,
}

impl KingTableEntry {
    /// The row of the king's table, 0 to 59.
    pub const fn row(self) -> usize {
        self.row
    }

    /// The code of the bishops' placement, 0 to 15.
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
            row: row_of(&order, &ORDERS),
            bishop_code: row_of(&bishops, &BISHOPS),
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
                _ => others.next().expect("two bishops leave six places"),
            })
            .collect();
        Letters::English
            .read(&text)
            .expect("every order with every placement of the bishops obeys the rules")
    }
}

fn row_of(text: &str, table: &[&str]) -> usize {
    table
        .iter()
        .position(|&line| line == text)
        .expect("the tables have every order that the rules allow")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> KingTableEntry {
        KingTableEntry::from(text.parse::<BackRank>().unwrap())
    }

    #[test]
    fn the_classical_start_is_in_row_32_with_bishop_code_6() {
        let classical = entry("RNBQKBNR");
        assert_eq!(classical.row(), 32);
        assert_eq!(classical.bishop_code(), 6);
        assert_eq!(classical.order(), "RNQKNR");
    }

    #[test]
    fn the_table_starts_with_qnnrkr_and_ends_with_rkrnnq() {
        assert_eq!((entry("BBQNNRKR").row(), entry("BBNQNRKR").row()), (0, 1));
        assert_eq!((entry("RKRNNQBB").row(), entry("BBRKRNNQ").row()), (59, 59));
    }

    #[test]
    fn the_kings_table_and_the_formula_agree_on_all_960_in_both_directions() {
        for id in StartId::all() {
            let by_formula = BackRank::from(id);
            let by_table = BackRank::from(KingTableEntry::from(id));
            assert_eq!(by_table, by_formula, "start {id}");
            assert_eq!(StartId::from(KingTableEntry::from(by_formula)), id);
            assert_eq!(by_table.id(), id);
        }
    }
}
