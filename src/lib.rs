//! Chess960 for people who work on it.

pub mod start;
pub mod table;
