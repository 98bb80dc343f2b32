//! A small engine: which move is best, and what is the position worth?
//!
//! A [`Board`](crate::chess::Board) and [`Limits`] walk into an [`Engine`], and the best lines with their scores walk out. The rooms:
//! [`evaluation`] judges a position without looking ahead, `exchange` what captures on one square come to,
//! `ordering` says which move to try first, `table` remembers positions, `alphabeta` and `quiescence` walk the
//! tree, and `engine` searches it deeper and deeper. A [`Foreign`] engine answers the same question over UCI.
//!
//! The same position, limits and table size give the same lines, scores and node counts on every machine, unless
//! the limit is time: nothing here depends on threads, addresses or clocks otherwise.

mod agreement;
mod alphabeta;
mod chances;
mod engine;
pub mod evaluation;
mod exchange;
mod foreign;
mod ordering;
mod quiescence;
mod score;
mod table;
mod tree;

pub use agreement::Agreement;
pub use chances::Chances;
pub use engine::{DEEPEST, Engine, Found, Limits, Line, Report};
pub use exchange::is_at_rest;
pub use foreign::{Foreign, ForeignError};
pub use score::{Score, ScoreError};
