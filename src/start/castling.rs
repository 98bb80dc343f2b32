//! Castling from each start.
//!
//! For a back rank and a side, [`Castling`] has the moves of king and rook, the squares that must be vacant and the
//! castling method. Wherever they start, the king ends on the c- or g-file and the rook next to it on the d- or
//! f-file. So one of them may not move at all, or the two may swap places.

use std::fmt;

use super::{BackRank, File};

/// The side of the king on which the castling rook is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CastlingSide {
    /// Towards the a-file: queenside castling, `O-O-O`.
    ASide,
    /// Towards the h-file: kingside castling, `O-O`.
    HSide,
}

/// The way in which king and rook move when castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CastlingMethod {
    /// Both move, other than onto each other's square.
    DoubleMove,
    /// King and rook swap places.
    Transposition,
    /// Only the king moves; the rook is on its destination already.
    KingMoveOnly,
    /// Only the rook moves; the king is on its destination already.
    RookMoveOnly,
}

/// The move of one piece along the back rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceMove {
    /// The file on which the piece starts.
    pub from: File,
    /// The file on which the piece ends.
    pub to: File,
}

/// Castling from one start to one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Castling {
    /// The move of the king.
    pub king: PieceMove,
    /// The move of the rook.
    pub rook: PieceMove,
}

impl CastlingSide {
    /// Both sides, from left to right.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::ASide, CastlingSide::HSide];

    /// The file on which the king ends.
    pub const fn king_destination(self) -> File {
        match self {
            CastlingSide::ASide => File::C,
            CastlingSide::HSide => File::G,
        }
    }

    /// The file on which the rook ends.
    pub const fn rook_destination(self) -> File {
        match self {
            CastlingSide::ASide => File::D,
            CastlingSide::HSide => File::F,
        }
    }
}

impl PieceMove {
    /// Whether the piece does not move.
    pub fn stays(self) -> bool {
        self.from == self.to
    }

    fn on_rank(self, rank: u8) -> String {
        if self.stays() {
            format!("stays on {}{rank}", self.from)
        } else {
            format!("{}{rank}-{}{rank}", self.from, self.to)
        }
    }

    fn covers(self, file: File) -> bool {
        (self.from.min(self.to)..=self.from.max(self.to)).contains(&file)
    }
}

impl Castling {
    /// The castling method.
    pub fn method(self) -> CastlingMethod {
        if self.rook.stays() {
            CastlingMethod::KingMoveOnly
        } else if self.king.stays() {
            CastlingMethod::RookMoveOnly
        } else if self.king.to == self.rook.from && self.rook.to == self.king.from {
            CastlingMethod::Transposition
        } else {
            CastlingMethod::DoubleMove
        }
    }

    /// The moves of king and rook as text, on the first or the eighth rank.
    pub fn on_rank(self, rank: u8) -> String {
        format!(
            "king {}, rook {}",
            self.king.on_rank(rank),
            self.rook.on_rank(rank)
        )
    }

    /// The files whose squares must be vacant, from left to right.
    pub fn vacant_files(self) -> impl Iterator<Item = File> {
        File::ALL
            .into_iter()
            .filter(move |&file| self.king.covers(file) || self.rook.covers(file))
            .filter(move |&file| file != self.king.from && file != self.rook.from)
    }

    /// Whether castling is legal on the first move of the game.
    pub fn is_possible_at_once(self) -> bool {
        // In the initial position every square of the back rank is occupied.
        self.vacant_files().next().is_none()
    }
}

impl BackRank {
    /// Castling from this start to a side.
    pub fn castling(self, side: CastlingSide) -> Castling {
        let [a_side, h_side] = self.rook_files();
        let rook = match side {
            CastlingSide::ASide => a_side,
            CastlingSide::HSide => h_side,
        };
        Castling {
            king: PieceMove {
                from: self.king_file(),
                to: side.king_destination(),
            },
            rook: PieceMove {
                from: rook,
                to: side.rook_destination(),
            },
        }
    }
}

impl fmt::Display for CastlingSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CastlingSide::ASide => "a-side",
            CastlingSide::HSide => "h-side",
        })
    }
}

impl fmt::Display for CastlingMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CastlingMethod::DoubleMove => "double-move",
            CastlingMethod::Transposition => "transposition",
            CastlingMethod::KingMoveOnly => "king-move-only",
            CastlingMethod::RookMoveOnly => "rook-move-only",
        })
    }
}

impl fmt::Display for Castling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.on_rank(1))
    }
}

#[cfg(test)]
mod tests {
    use super::CastlingMethod::*;
    use super::CastlingSide::*;
    use super::*;
    use crate::start::StartId;

    fn castling(text: &str, side: CastlingSide) -> Castling {
        text.parse::<BackRank>().unwrap().castling(side)
    }

    fn vacant(text: &str, side: CastlingSide) -> String {
        let files = castling(text, side).vacant_files();
        files.map(File::letter).collect()
    }

    fn every_castling() -> impl Iterator<Item = Castling> {
        StartId::all()
            .map(BackRank::from)
            .flat_map(|back_rank| CastlingSide::ALL.map(|side| back_rank.castling(side)))
    }

    #[test]
    fn each_method_is_as_frequent_as_arithmetic_says() {
        // King and rooks on three given squares leave 18 starts, or 12 if the three are of one colour.
        // Transposition: king f1 and rook g1 (5 * 18) or king d1 and rook c1 (4 * 18). Rook on d1
        // (5 * 18 + 12) or f1 (9 * 18 + 12); king on c1 (8 * 18 + 2 * 12) or g1 (6 * 18).
        let count = |method| every_castling().filter(|c| c.method() == method).count();
        assert_eq!(count(DoubleMove), 1206);
        assert_eq!(count(Transposition), 162);
        assert_eq!(count(KingMoveOnly), 276);
        assert_eq!(count(RookMoveOnly), 276);
    }

    #[test]
    fn exactly_162_starts_can_castle_on_the_first_move() {
        let able = StartId::all()
            .map(BackRank::from)
            .filter(|rank| {
                CastlingSide::ALL
                    .iter()
                    .any(|&side| rank.castling(side).is_possible_at_once())
            })
            .count();
        assert_eq!(able, 162);
    }

    #[test]
    fn the_classical_start_castles_as_in_classical_chess() {
        let classical = "RNBQKBNR";
        assert_eq!(
            castling(classical, HSide).to_string(),
            "king e1-g1, rook h1-f1"
        );
        assert_eq!(
            castling(classical, ASide).to_string(),
            "king e1-c1, rook a1-d1"
        );
        assert_eq!(vacant(classical, HSide), "fg");
        assert_eq!(vacant(classical, ASide), "bcd");
    }

    #[test]
    fn a_piece_on_its_destination_does_not_move() {
        assert_eq!(
            castling("RNKBBQNR", ASide).to_string(),
            "king stays on c1, rook a1-d1"
        );
        assert_eq!(castling("RNKBBQNR", ASide).method(), RookMoveOnly);
        assert_eq!(vacant("RNKBBQNR", ASide), "bd");
        assert_eq!(
            castling("BQNRKBNR", ASide).to_string(),
            "king e1-c1, rook stays on d1"
        );
        assert_eq!(castling("BQNRKBNR", ASide).method(), KingMoveOnly);
        assert_eq!(vacant("BQNRKBNR", ASide), "c");
    }

    #[test]
    fn king_and_rook_that_swap_places_need_no_vacant_square() {
        let swap = castling("RBBNNKRQ", HSide);
        assert_eq!(swap.method(), Transposition);
        assert!(swap.is_possible_at_once());
        assert!(!castling("RBBNNKRQ", ASide).is_possible_at_once());
    }

    #[test]
    fn a_king_far_from_its_destination_needs_all_squares_up_to_it_vacant() {
        // King b1-g1 and rook h1-f1 cross; king b1-c1 and rook a1-d1 both move to the right.
        assert_eq!(vacant("RKBBNNQR", HSide), "cdefg");
        assert_eq!(vacant("RKBBNNQR", ASide), "cd");
    }

    #[test]
    fn methods_and_sides_are_named_as_users_read_them() {
        let methods =
            [DoubleMove, Transposition, KingMoveOnly, RookMoveOnly].map(|m| m.to_string());
        assert_eq!(
            methods.join(" "),
            "double-move transposition king-move-only rook-move-only"
        );
        assert_eq!(
            CastlingSide::ALL.map(|side| side.to_string()).join(" "),
            "a-side h-side"
        );
    }
}
