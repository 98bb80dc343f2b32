//! Scharnagl's numbering: conversion between the number of a start and its back rank.
//!
//! The number is a mixed-radix code of the light-squared bishop (4 squares), the dark-squared bishop (4), the queen
//! (6 free squares) and the knights (10 pairs of the remaining 5 squares): 4 * 4 * 6 * 10 = 960.

use super::placing::PartialBackRank;
use super::{BackRank, File, Piece, StartId};

const LIGHT: [File; 4] = [File::B, File::D, File::F, File::H];
const DARK: [File; 4] = [File::A, File::C, File::E, File::G];

/// The squares of both knights among the five that bishops and queen leave free.
const KNIGHTS: [[usize; 2]; 10] = [
    [0, 1],
    [0, 2],
    [0, 3],
    [0, 4],
    [1, 2],
    [1, 3],
    [1, 4],
    [2, 3],
    [2, 4],
    [3, 4],
];

pub(super) fn back_rank(id: StartId) -> BackRank {
    let number = id.index();
    let mut back_rank = PartialBackRank::default();
    back_rank.put(Piece::Bishop, LIGHT[number % 4]);
    back_rank.put(Piece::Bishop, DARK[number / 4 % 4]);
    back_rank.put_on_free(Piece::Queen, number / 16 % 6);
    let [left, right] = KNIGHTS[number / 96];
    // The right knight comes first: the left one would change the count of free squares for it.
    back_rank.put_on_free(Piece::Knight, right);
    back_rank.put_on_free(Piece::Knight, left);
    BackRank::try_from(back_rank.finish()).expect("the numbering obeys the rules")
}

pub(super) fn id(back_rank: BackRank) -> StartId {
    let number = bishop_code(back_rank, LIGHT)
        + 4 * bishop_code(back_rank, DARK)
        + 16 * queen_code(back_rank)
        + 96 * knights_code(back_rank);
    StartId::from_index(number).expect("3 + 4 * 3 + 16 * 5 + 96 * 9 is 959")
}

fn bishop_code(back_rank: BackRank, squares: [File; 4]) -> usize {
    squares
        .iter()
        .position(|&file| back_rank.piece_on(file) == Piece::Bishop)
        .expect("there is a bishop on either colour")
}

fn queen_code(back_rank: BackRank) -> usize {
    let mut free = back_rank
        .pieces()
        .into_iter()
        .filter(|&p| p != Piece::Bishop);
    free.position(|piece| piece == Piece::Queen)
        .expect("a back rank has a queen")
}

fn knights_code(back_rank: BackRank) -> usize {
    let free: Vec<Piece> = back_rank
        .pieces()
        .into_iter()
        .filter(|&piece| piece != Piece::Bishop && piece != Piece::Queen)
        .collect();
    KNIGHTS
        .iter()
        .position(|pair| pair.iter().all(|&place| free[place] == Piece::Knight))
        .expect("two knights are on two of five squares")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_starts_have_their_well_known_numbers() {
        for (number, text) in [
            (0, "BBQNNRKR"),
            (518, "RNBQKBNR"),
            (534, "RNBKQBNR"),
            (959, "RKRNNQBB"),
        ] {
            let id = StartId::try_from(number).unwrap();
            assert_eq!(back_rank(id).to_string(), text);
            assert_eq!(super::id(text.parse().unwrap()), id);
        }
    }

    #[test]
    fn every_number_round_trips() {
        for id in StartId::all() {
            assert_eq!(super::id(back_rank(id)), id);
        }
    }
}
