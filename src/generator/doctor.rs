//! Examines a counter: what it supports, whether it really plays Chess960, and whether its counts are right.

use super::verify::{Claims, VerifyOptions, VerifyReport, verify};
use super::{CountRequest, Counter, CounterError, EngineInfo, Profile, UciCounter, ensure_working};
use crate::chess::Board;
use crate::perft::CountOptions;
use crate::run::Cancel;

/// A position in which Chess960 and classical castling rules differ: the rook on b1 shields the king from the rook on a1,
/// so castling is not legal. In classical chess that cannot happen, so a classical engine does not check for it.
pub const SHIELD_FEN: &str = "4k3/8/8/8/8/8/8/rRK5 w B - 0 1";

/// What an examination found out.
#[derive(Debug)]
pub struct Diagnosis {
    /// What the counter says about itself.
    pub profile: Profile,
    /// For UCI engines.
    pub engine: Option<EngineInfo>,
    /// Whether it plays Chess960.
    pub chess960: Chess960Support,
    /// The counts of the tricky suite.
    pub suite: VerifyReport,
}

impl Diagnosis {
    /// Whether nothing is wrong.
    pub fn is_healthy(&self) -> bool {
        self.chess960.is_healthy() && self.suite.mismatches.is_empty()
    }
}

/// Whether a counter plays Chess960. The counts are the numbers of moves in [`SHIELD_FEN`].
#[derive(Debug)]
pub enum Chess960Support {
    /// It finds the right number of moves.
    Supported,
    /// An engine that finds the right number with `UCI_Chess960`, and another one, or none, without.
    OptionTakesEffect {
        /// The number of moves with `UCI_Chess960`.
        with: u128,
        /// The number of moves without it, if the engine answers.
        without: Option<u128>,
    },
    /// An engine that finds the right number with `UCI_Chess960` and without.
    AlwaysOn,
    /// An engine that does not offer `UCI_Chess960`.
    OptionMissing,
    /// It finds a wrong number of moves.
    Wrong {
        /// What it counted.
        found: u128,
        /// The right count.
        expected: u128,
    },
    /// It refuses the position or fails on it.
    Failed(CounterError),
}

impl Chess960Support {
    /// Whether it plays Chess960.
    pub fn is_healthy(&self) -> bool {
        matches!(
            self,
            Chess960Support::Supported
                | Chess960Support::OptionTakesEffect { .. }
                | Chess960Support::AlwaysOn
        )
    }
}

/// Examines a counter. The options apply to the counts of the tricky suite. A counter that fails on everything is
/// [unusable](CounterError::Unusable).
pub fn examine(counter: &dyn Counter, options: &VerifyOptions) -> Result<Diagnosis, CounterError> {
    let profile = counter.profile(options.cancel)?;
    let chess960 = examine_chess960(counter, &profile, options.cancel)?;
    if matches!(
        chess960,
        Chess960Support::Failed(CounterError::Failed { .. })
    ) {
        ensure_working(counter, options.cancel)?;
    }
    Ok(Diagnosis {
        chess960,
        suite: verify(&Claims::tricky(), counter, options)?,
        engine: None,
        profile,
    })
}

/// Examines a UCI engine: also what it says about itself, and whether `UCI_Chess960` has an effect.
pub fn examine_engine(
    engine: &UciCounter,
    options: &VerifyOptions,
) -> Result<Diagnosis, CounterError> {
    let info = engine.info(options.cancel)?;
    let mut diagnosis = examine(engine, options)?;
    diagnosis.engine = Some(info);
    if matches!(diagnosis.chess960, Chess960Support::Supported) {
        diagnosis.chess960 = examine_option(engine, options.cancel)?;
    }
    Ok(diagnosis)
}

fn examine_chess960(
    counter: &dyn Counter,
    profile: &Profile,
    cancel: &Cancel,
) -> Result<Chess960Support, CounterError> {
    if !profile.supports_chess960 {
        return Ok(Chess960Support::OptionMissing);
    }
    let expected = right_count();
    Ok(match count_moves(counter, cancel) {
        Ok(found) if found == expected => Chess960Support::Supported,
        Ok(found) => Chess960Support::Wrong { found, expected },
        Err(error) if error.is_about_position() => Chess960Support::Failed(error),
        Err(error) => return Err(error),
    })
}

/// Compares an engine that finds the right number of moves with itself without the option.
fn examine_option(engine: &UciCounter, cancel: &Cancel) -> Result<Chess960Support, CounterError> {
    let with = right_count();
    Ok(match count_moves(&engine.without_chess960(), cancel) {
        Ok(without) if without == with => Chess960Support::AlwaysOn,
        Ok(without) => Chess960Support::OptionTakesEffect {
            with,
            without: Some(without),
        },
        // An engine may refuse or crash on a position that classical chess does not have: that is an effect too.
        Err(error) if error.is_about_position() => Chess960Support::OptionTakesEffect {
            with,
            without: None,
        },
        Err(error) => return Err(error),
    })
}

fn shield_board() -> Board {
    SHIELD_FEN.parse().expect("the position is legal")
}

fn right_count() -> u128 {
    u128::from(shield_board().count_moves())
}

fn count_moves(counter: &dyn Counter, cancel: &Cancel) -> Result<u128, CounterError> {
    let request = CountRequest {
        options: CountOptions {
            cancel,
            ..CountOptions::default()
        },
        ..CountRequest::default()
    };
    counter.count(&shield_board(), 1, &request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::Shakmaty;

    #[test]
    fn a_library_that_is_right_is_healthy() {
        let options = VerifyOptions {
            max_nodes: 1_000,
            ..VerifyOptions::default()
        };
        let diagnosis = examine(&Shakmaty, &options).unwrap();
        assert!(diagnosis.is_healthy(), "{diagnosis:?}");
        assert!(diagnosis.suite.checked > 0);
    }

    /// The moves were counted by hand: five of the king and the rook, none of them castling.
    #[test]
    fn castling_is_not_legal_in_the_position() {
        assert_eq!(right_count(), 5);
    }
}
