//! Ablation study of the hand-crafted evaluation: how much further from the teacher it is without each term.

use ninesixty::search::evaluation::{TERMS, TaperedScore, Terms, evaluate};
use rayon::prelude::*;

use crate::record::Record;
use crate::training::expected_score;

const ZERO: TaperedScore = TaperedScore { mg: 0, eg: 0 };

/// Sets the weights of a term to zero.
type Ablation = fn(&mut Terms);

/// The terms of the simplest evaluation, besides material.
const BASIC_TERMS: &[(&str, Ablation)] = &[
    ("piece-square tables", |terms| terms.psqt = [[ZERO; 64]; 6]),
    ("tempo", |terms| terms.tempo = ZERO),
];

const OTHER_TERMS: &[(&str, Ablation)] = &[
    ("bishop pair", |terms| terms.bishop_pair = ZERO),
    ("knight mobility", |terms| terms.knight_mobility = [ZERO; 9]),
    ("bishop mobility", |terms| {
        terms.bishop_mobility = [ZERO; 14];
    }),
    ("rook mobility", |terms| terms.rook_mobility = [ZERO; 15]),
    ("queen mobility", |terms| terms.queen_mobility = [ZERO; 28]),
    ("cornered bishop", |terms| terms.cornered_bishop = ZERO),
    ("bishop pawns", |terms| terms.bishop_pawn = ZERO),
    ("outpost", |terms| terms.outpost = [ZERO; 2]),
    ("minor behind pawn", |terms| terms.minor_behind_pawn = ZERO),
    ("rook on open file", |terms| terms.rook_on_open_file = ZERO),
    ("rook on half-open file", |terms| {
        terms.rook_on_half_open_file = ZERO;
    }),
    ("doubled pawn", |terms| terms.doubled_pawn = ZERO),
    ("isolated pawn", |terms| terms.isolated_pawn = ZERO),
    ("backward pawn", |terms| terms.backward_pawn = ZERO),
    ("phalanx", |terms| terms.phalanx = [ZERO; 8]),
    ("supported pawn", |terms| terms.supported_pawn = [ZERO; 8]),
    ("passed pawn", |terms| terms.passed_pawn = [ZERO; 8]),
    ("free passed pawn", |terms| {
        terms.free_passed_pawn = [ZERO; 8];
    }),
    ("passed pawn, own king", |terms| {
        terms.passed_pawn_own_king = [ZERO; 8];
    }),
    ("passed pawn, enemy king", |terms| {
        terms.passed_pawn_enemy_king = [ZERO; 8];
    }),
    ("pawn shelter", |terms| terms.pawn_shelter = [[ZERO; 8]; 2]),
    ("pawn storm", |terms| terms.pawn_storm = [[ZERO; 8]; 2]),
    ("king ring attackers", |terms| {
        terms.king_ring_attackers = [ZERO; 6];
    }),
    ("king ring attacks", |terms| {
        terms.king_ring_attack = [ZERO; 4];
    }),
    ("safe check", |terms| terms.safe_check = [ZERO; 4]),
    ("threat", |terms| terms.threat = [[ZERO; 5]; 3]),
    ("hanging piece", |terms| terms.hanging_piece = ZERO),
    ("unprotected", |terms| terms.unprotected = [ZERO; 2]),
    ("king ring x-ray", |terms| terms.king_ring_xray = [ZERO; 3]),
    ("castling right", |terms| terms.castling_right = [ZERO; 2]),
    ("castling blockers", |terms| {
        terms.castling_blockers = [ZERO; 7];
    }),
];

/// The simplest evaluation: material, piece-square tables and tempo.
pub fn basic_terms() -> Terms {
    let mut terms = TERMS.clone();
    for (_, ablation) in OTHER_TERMS {
        ablation(&mut terms);
    }
    terms
}

/// Prints for each term by how much the squared error of the expected score grows without it, in permille of the loss,
/// with the 95 % confidence interval.
pub fn ablate(records: &[Record]) {
    let baseline = squared_errors(&TERMS, records);
    let sum: f64 = baseline.iter().sum();
    println!(
        "{} positions, loss {:.6}",
        records.len(),
        sum / records.len() as f64
    );
    for (name, ablation) in BASIC_TERMS.iter().chain(OTHER_TERMS) {
        let mut terms = TERMS.clone();
        ablation(&mut terms);
        let n = records.len() as f64;
        let increases = squared_errors(&terms, records).into_iter().zip(&baseline);
        let increases: Vec<f64> = increases.map(|(error, base)| error - base).collect();
        let mean = increases.iter().sum::<f64>() / n;
        let variance = increases
            .iter()
            .map(|increase| (increase - mean).powi(2))
            .sum::<f64>()
            / n;
        let permille = 1000.0 * n / sum;
        println!(
            "{name:24} {:+7.1} ± {:.1}",
            mean * permille,
            1.96 * (variance / n).sqrt() * permille
        );
    }
}

fn squared_errors(terms: &Terms, records: &[Record]) -> Vec<f64> {
    let error = |record: &Record| {
        let expected = expected_score(evaluate(terms, &record.board) as f32);
        f64::from(expected - expected_score(record.value.into())).powi(2)
    };
    records.par_iter().map(error).collect()
}
