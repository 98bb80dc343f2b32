//! The number of a start by Scharnagl's formula.
//!
//! A number walks in and the back rank walks out, and the other way round, by division alone: the
//! number is taken apart into the light-squared bishop (4 squares), the dark-squared bishop (4), the
//! queen (6 free squares) and the knights (10 pairs of the 5 squares left). 4 * 4 * 6 * 10 = 960.

use super::placing::Placing;
use super::{BackRank, File, Piece, StartId};

const LIGHT: [File; 4] = [File::B, File::D, File::F, File::H];
const DARK: [File; 4] = [File::A, File::C, File::E, File::G];

/// The squares of both knights, counted over the five that bishops and queen leave free.
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
    let mut placing = Placing::default();
    placing.put(Piece::Bishop, LIGHT[number % 4]);
    placing.put(Piece::Bishop, DARK[number / 4 % 4]);
    placing.put_on_free(Piece::Queen, number / 16 % 6);
    let [left, right] = KNIGHTS[number / 96];
    // The right knight first: a left knight would take a square out of the right one's count.
    placing.put_on_free(Piece::Knight, right);
    placing.put_on_free(Piece::Knight, left);
    BackRank::try_from(placing.finish()).expect("the formula puts every piece by the rules")
}

pub(super) fn id(back_rank: BackRank) -> StartId {
    let number = bishop_on(back_rank, LIGHT)
        + 4 * bishop_on(back_rank, DARK)
        + 16 * queen_place(back_rank)
        + 96 * knights_code(back_rank);
    StartId::from_index(number).expect("3 + 4 * 3 + 16 * 5 + 96 * 9 is 959")
}

fn bishop_on(back_rank: BackRank, squares: [File; 4]) -> usize {
    squares
        .iter()
        .position(|&file| back_rank.piece_on(file) == Piece::Bishop)
        .expect("a bishop stands on either colour")
}

fn queen_place(back_rank: BackRank) -> usize {
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
        .expect("two knights stand on two of five squares")
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
    fn every_start_is_numbered_back_to_itself() {
        for id in StartId::all() {
            assert_eq!(super::id(back_rank(id)), id);
        }
    }
}
