//! What each term is good for: how much further from the teacher the terms are without it.

use ninesixty::search::evaluation::{Pair, TERMS, Terms, evaluate};
use rayon::prelude::*;

use crate::record::Record;
use crate::training::expectation;

const NO: Pair = Pair {
    opening: 0,
    ending: 0,
};

type Without = fn(&mut Terms);

/// What even the simplest engine knows, besides material.
const SIMPLEST: &[(&str, Without)] = &[
    ("squares", |terms| terms.squares = [[NO; 64]; 6]),
    ("tempo", |terms| terms.tempo = NO),
];

const OTHERS: &[(&str, Without)] = &[
    ("bishop pair", |terms| terms.bishop_pair = NO),
    ("knight mobility", |terms| terms.knight_mobility = [NO; 9]),
    ("bishop mobility", |terms| terms.bishop_mobility = [NO; 14]),
    ("rook mobility", |terms| terms.rook_mobility = [NO; 15]),
    ("queen mobility", |terms| terms.queen_mobility = [NO; 28]),
    ("corner bishop shut", |terms| terms.corner_bishop_shut = NO),
    ("pawn on bishop's colour", |terms| {
        terms.pawn_on_bishops_colour = NO
    }),
    ("outpost", |terms| terms.outpost = [NO; 2]),
    ("minor behind pawn", |terms| terms.minor_behind_pawn = NO),
    ("open file", |terms| terms.open_file = NO),
    ("half-open file", |terms| terms.half_open_file = NO),
    ("doubled pawn", |terms| terms.doubled_pawn = NO),
    ("isolated pawn", |terms| terms.isolated_pawn = NO),
    ("backward pawn", |terms| terms.backward_pawn = NO),
    ("phalanx", |terms| terms.phalanx = [NO; 8]),
    ("supported pawn", |terms| terms.supported = [NO; 8]),
    ("passed pawn", |terms| terms.passed = [NO; 8]),
    ("passed and free", |terms| terms.passed_and_free = [NO; 8]),
    ("passed, own king", |terms| {
        terms.passed_from_own_king = [NO; 8]
    }),
    ("passed, enemy's king", |terms| {
        terms.passed_from_enemy_king = [NO; 8]
    }),
    ("shelter", |terms| terms.shelter = [[NO; 8]; 2]),
    ("storm", |terms| terms.storm = [[NO; 8]; 2]),
    ("king attackers", |terms| terms.king_attackers = [NO; 6]),
    ("king ring hit", |terms| terms.king_ring_hit = [NO; 4]),
    ("safe check", |terms| terms.safe_check = [NO; 4]),
    ("threat", |terms| terms.threat = [[NO; 5]; 3]),
    ("hanging", |terms| terms.hanging = NO),
    ("unprotected", |terms| terms.unprotected = [NO; 2]),
    ("aimed at king", |terms| terms.aimed_at_king = [NO; 3]),
    ("castling right", |terms| terms.castling_right = [NO; 2]),
    ("castling blockers", |terms| {
        terms.castling_blockers = [NO; 7]
    }),
];

/// The terms of the simplest engine.
pub fn material_and_squares() -> Terms {
    let mut terms = TERMS.clone();
    for (_, without) in OTHERS {
        without(&mut terms);
    }
    terms
}

/// Shows for each term by how much the squared error of the expected score grows without it, in thousandths, and
/// within which bounds that is certain (95 %).
pub fn ablate(records: &[Record]) {
    let whole = errors(&TERMS, records);
    let sum: f64 = whole.iter().sum();
    println!(
        "{} positions, loss {:.6}",
        records.len(),
        sum / records.len() as f64
    );
    for (name, without) in SIMPLEST.iter().chain(OTHERS) {
        let mut terms = TERMS.clone();
        without(&mut terms);
        let n = records.len() as f64;
        let more = errors(&terms, records).into_iter().zip(&whole);
        let more: Vec<f64> = more.map(|(error, whole)| error - whole).collect();
        let mean = more.iter().sum::<f64>() / n;
        let variance = more.iter().map(|more| (more - mean).powi(2)).sum::<f64>() / n;
        let thousandths = 1000.0 * n / sum;
        println!(
            "{name:24} {:+7.1} ± {:.1}",
            mean * thousandths,
            1.96 * (variance / n).sqrt() * thousandths
        );
    }
}

fn errors(terms: &Terms, records: &[Record]) -> Vec<f64> {
    let error = |record: &Record| {
        let said = expectation(evaluate(terms, &record.board) as f32);
        f64::from(said - expectation(record.value.into())).powi(2)
    };
    records.par_iter().map(error).collect()
}
