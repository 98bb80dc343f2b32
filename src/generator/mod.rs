//! Move generators that can be asked for counts, each behind the trait [`Counter`].
//!
//! There are our own ([`Own`]), two libraries ([`Shakmaty`], [`Cozy`]), UCI engines ([`UciCounter`]) and any program that
//! follows perftree's convention ([`Script`]). [`named()`] makes a counter from its name on the command line. The types of
//! the chess libraries are used in this module only.
//!
//! Any counter, also one of your own, can be checked against published counts ([`verify()`]), timed ([`bench`](mod@bench))
//! and examined ([`doctor`]). [`diff`](crate::diff) compares two of them.

pub mod bench;
mod counter;
mod cozy;
mod divide_output;
pub mod doctor;
mod library;
mod move_line;
mod named;
mod own;
mod probe;
mod script;
mod shakmaty;
mod uci;
mod verify;

pub use self::counter::{
    Branches, CountMethod, CountRequest, Counter, CounterError, CounterHost, Profile,
};
pub use self::cozy::Cozy;
pub use self::move_line::{MoveLine, MoveLineBuf};
pub use self::named::{NameError, named, split_names};
pub use self::own::Own;
pub(crate) use self::probe::ensure_working;
pub use self::script::Script;
pub use self::shakmaty::Shakmaty;
pub use self::uci::{EngineInfo, UciCounter};
pub use self::verify::{
    Claim, Claims, ClaimsError, Mismatch, MismatchKind, SuiteOptions, VerifyOptions, VerifyReport,
    count_suite, read_positions, verify,
};
