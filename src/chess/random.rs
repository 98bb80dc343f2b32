//! Random positions, for comparing move generators.
//!
//! Positions of random games are realistic and hardly ever have the rare situations in which generators go wrong. So
//! there are also random placements: any pieces on any squares, with kings and rooks on the home rank, pawns about to
//! promote and en passant more often than by chance.

use rand::{Rng, RngExt};

use super::bitboard::Bitboard;
use super::board::Board;
use super::setup::Setup;
use super::square::{Color, Role, Square};
use crate::start::{DoubleStart, StartId};

/// The length of the longest random game.
const MAX_GAME_PLIES: u32 = 120;

/// A random start. White and Black have the same back rank in half of all cases.
pub fn random_start(random: &mut impl Rng) -> DoubleStart {
    let white = StartId::random(random);
    let black = if random.random() {
        white
    } else {
        StartId::random(random)
    };
    DoubleStart { white, black }
}

/// A position from a game of random moves from a random start.
pub fn random_game_position(random: &mut impl Rng) -> Board {
    let mut board = Board::from_double_start(random_start(random));
    for _ in 0..random.random_range(0..MAX_GAME_PLIES) {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        board = board.play(moves[random.random_range(0..moves.len())]);
    }
    board
}

/// A legal position with randomly placed pieces. Most placements are illegal, so it repeats until one is legal.
pub fn random_placement(random: &mut impl Rng) -> Board {
    loop {
        if let Ok(board) = Board::try_from(random_setup(random)) {
            return board;
        }
    }
}

fn random_setup(random: &mut impl Rng) -> Setup {
    let mut setup = Setup::empty();
    setup.turn = if random.random() {
        Color::White
    } else {
        Color::Black
    };
    let pieces = random.random_range(0..24);
    for _ in 0..pieces {
        let color = if random.random() {
            Color::White
        } else {
            Color::Black
        };
        let role = Role::ALL[random.random_range(0..5)];
        setup.place(color, role, random_square(random, color, role));
    }
    if random.random() {
        add_en_passant(random, &mut setup);
    }
    for color in Color::BOTH {
        let king = random_square(random, color, Role::King);
        setup.place(color, Role::King, king);
        if king.rank() == color.home_rank() {
            add_castling_rights(random, &mut setup, color, king);
        }
    }
    setup
}

fn random_square(random: &mut impl Rng, color: Color, role: Role) -> Square {
    let file = random.random_range(0..8);
    let home = color.home_rank();
    let rank = match role {
        Role::Pawn if random.random_range(0..3) == 0 => home.abs_diff(6),
        Role::Pawn => random.random_range(1..7),
        Role::King if random.random() => home,
        _ => random.random_range(0..8),
    };
    Square::at(file, rank)
}

fn add_castling_rights(random: &mut impl Rng, setup: &mut Setup, color: Color, king: Square) {
    let home = Bitboard::rank(color.home_rank());
    for wing in [
        home.filter(|square| *square < king).collect::<Vec<_>>(),
        home.filter(|square| *square > king).collect(),
    ] {
        if !wing.is_empty() && random.random() {
            let rook = wing[random.random_range(0..wing.len())];
            setup.place(color, Role::Rook, rook);
            setup.castling_rooks |= rook.bit();
        }
    }
}

fn add_en_passant(random: &mut impl Rng, setup: &mut Setup) {
    let (pawn_rank, passed, origin) = match setup.turn {
        Color::White => (4, 5, 6),
        Color::Black => (3, 2, 1),
    };
    let file = random.random_range(0..8);
    setup.remove(Square::at(file, passed));
    setup.remove(Square::at(file, origin));
    setup.place(!setup.turn, Role::Pawn, Square::at(file, pawn_rank));
    let neighbour = if file == 0 { 1 } else { file - 1 };
    setup.place(setup.turn, Role::Pawn, Square::at(neighbour, pawn_rank));
    setup.en_passant = Some(Square::at(file, passed));
}
