//! The columns that say which group of games a row is about.

use crate::stats::{GroupBy, GroupKeys};
use crate::table::Cell;

/// A column for something that games are grouped by, beside the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyColumn {
    Rating,
    Speed,
    Month,
    Title,
}

/// The columns for games that are grouped like this.
pub fn key_columns(by: GroupBy) -> Vec<KeyColumn> {
    let columns = [
        (by.rating.is_some(), KeyColumn::Rating),
        (by.speed, KeyColumn::Speed),
        (by.month, KeyColumn::Month),
        (by.title, KeyColumn::Title),
    ];
    let columns = columns.into_iter().filter(|(is_given, _)| *is_given);
    columns.map(|(_, column)| column).collect()
}

impl KeyColumn {
    pub fn name(self) -> &'static str {
        match self {
            KeyColumn::Rating => "rating_group",
            KeyColumn::Speed => "speed",
            KeyColumn::Month => "month",
            KeyColumn::Title => "title",
        }
    }

    pub fn cell(self, keys: &GroupKeys) -> Cell {
        fn text<T: ToString>(key: Option<T>) -> Cell {
            key.map(|key| key.to_string()).into()
        }
        match self {
            KeyColumn::Rating => keys.rating.map(i64::from).into(),
            KeyColumn::Speed => text(keys.speed),
            KeyColumn::Month => text(keys.month),
            KeyColumn::Title => text(keys.title),
        }
    }
}
