//! The positions in which games begin.

use super::board::Board;
use super::setup::Setup;
use super::square::{Color, Role, Square};
use crate::start::{BackRank, DoubleStart, StartId};

impl Board {
    /// The initial position of this start.
    pub fn from_start(start: StartId) -> Board {
        Board::from_double_start(DoubleStart {
            white: start,
            black: start,
        })
    }

    /// The initial position of this double start, in which White and Black may have different back ranks.
    pub fn from_double_start(start: DoubleStart) -> Board {
        let mut setup = Setup::empty();
        for (color, id) in [(Color::White, start.white), (Color::Black, start.black)] {
            let home = color.home_rank();
            let pawn_rank = home.abs_diff(1);
            for (file, piece) in (0..).zip(BackRank::from(id).pieces()) {
                let role = Role::from(piece);
                setup.place(color, role, Square::at(file, home));
                setup.place(color, Role::Pawn, Square::at(file, pawn_rank));
                if role == Role::Rook {
                    setup.castling_rooks |= Square::at(file, home).bit();
                }
            }
        }
        Board::try_from(setup).expect("every start is a legal position")
    }

    /// The start of which this is the initial position, all castling rights included.
    pub fn double_start(&self) -> Option<DoubleStart> {
        let [white, black] = Color::BOTH.map(|color| self.back_rank(color));
        let start = DoubleStart {
            white: white?.id(),
            black: black?.id(),
        };
        let initial = Board {
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number,
            ..Board::from_double_start(start)
        };
        (*self == initial).then_some(start)
    }

    fn back_rank(&self, color: Color) -> Option<BackRank> {
        use crate::start::Piece;
        let mut pieces = [Piece::King; 8];
        for (file, piece) in (0..).zip(&mut pieces) {
            *piece = match self.piece_at(Square::at(file, color.home_rank()))?.1 {
                Role::Pawn => return None,
                Role::Knight => Piece::Knight,
                Role::Bishop => Piece::Bishop,
                Role::Rook => Piece::Rook,
                Role::Queen => Piece::Queen,
                Role::King => Piece::King,
            };
        }
        BackRank::try_from(pieces).ok()
    }
}
