//! A move generator with a mistake of your choice, for seeing how `ninesixty diff` finds it.
//!
//!     ninesixty diff --b 'script:target/debug/examples/broken castle-through-check'
//!
//! It follows the convention of perftree: behind the name of the mistake come a depth, a FEN and the moves played from
//! it, and it prints a line per first move, an empty line and the total. Each mistake is one that authors of
//! generators make: a rule forgotten, a square not looked at, a right that is kept. `broken list` names them all.

use std::env;
use std::process;

use ninesixty::chess::{Bitboard, Board, Color, Move, MoveKind, Role, Setup, SetupError, Square};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    None,
    /// The king may pass over attacked squares.
    CastleThroughCheck,
    CastleIntoCheck,
    CastleOutOfCheck,
    /// The king's squares are looked at with the castling rook still on its square.
    CastleScreen,
    /// Only the squares that the king crosses have to be vacant.
    CastleOverMan,
    /// The outermost rook castles, whichever has the right.
    CastleOuterRook,
    /// No castling where the king stays on its square.
    CastleKingStays,
    /// The right to castle outlives a move of the king.
    KingKeepsRight,
    /// The right to castle outlives the rook: another one may take its place.
    RookKeepsRight,
    /// No look at the rank that en passant clears of two pieces.
    EpPin,
    /// A pawn that gives check is not taken en passant.
    EpNoEvasion,
    /// The right to take en passant is kept for one more move.
    EpLate,
    /// No promotion to a knight.
    PromotionNoKnight,
    /// A promotion to a king instead of a knight: the count is right.
    PromotionToKing,
    /// A capture on the last rank promotes to a queen only.
    PromotionCaptureQueen,
    DoublePushOverMan,
    /// The edge of the board does not stop a capturing pawn.
    PawnWraps,
    KingNextToKing,
    /// The king steps back on the line on which it is in check.
    KingThroughXray,
    PinnedKnight,
    /// In double check, one of the two is taken.
    DoubleCheckCapture,
    /// It dies where en passant is possible.
    DiesOnEp,
}

const MISTAKES: [(&str, Mistake); 23] = [
    ("none", Mistake::None),
    ("castle-through-check", Mistake::CastleThroughCheck),
    ("castle-into-check", Mistake::CastleIntoCheck),
    ("castle-out-of-check", Mistake::CastleOutOfCheck),
    ("castle-screen", Mistake::CastleScreen),
    ("castle-over-piece", Mistake::CastleOverMan),
    ("castle-outer-rook", Mistake::CastleOuterRook),
    ("castle-king-stays", Mistake::CastleKingStays),
    ("king-keeps-right", Mistake::KingKeepsRight),
    ("rook-keeps-right", Mistake::RookKeepsRight),
    ("ep-pin", Mistake::EpPin),
    ("ep-no-evasion", Mistake::EpNoEvasion),
    ("ep-late", Mistake::EpLate),
    ("promotion-no-knight", Mistake::PromotionNoKnight),
    ("promotion-to-king", Mistake::PromotionToKing),
    ("promotion-capture-queen", Mistake::PromotionCaptureQueen),
    ("double-push-over-piece", Mistake::DoublePushOverMan),
    ("pawn-wraps", Mistake::PawnWraps),
    ("king-next-to-king", Mistake::KingNextToKing),
    ("king-through-xray", Mistake::KingThroughXray),
    ("pinned-knight", Mistake::PinnedKnight),
    ("double-check-capture", Mistake::DoubleCheckCapture),
    ("dies-on-ep", Mistake::DiesOnEp),
];

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["list"] => MISTAKES.iter().for_each(|(name, _)| println!("{name}")),
        [mistake, depth, fen] => answer(mistake, depth, fen, ""),
        [mistake, depth, fen, moves] => answer(mistake, depth, fen, moves),
        _ => fail("give a mistake, a depth, a FEN and perhaps moves"),
    }
}

fn answer(mistake: &str, depth: &str, fen: &str, moves: &str) {
    let known = MISTAKES.iter().find(|(name, _)| *name == mistake);
    let Some(&(_, mistake)) = known else {
        fail("no such mistake; `broken list` names them")
    };
    let Ok(depth @ 1..) = depth.parse::<u32>() else {
        fail("the depth is a number from 1 on")
    };
    let mut game = Game::new(fen.parse().unwrap_or_else(|_| fail("not a legal position")));
    for name in moves.split_whitespace() {
        let steps = game.steps(mistake);
        let step = steps.into_iter().find(|step| step.name == name);
        game = match step.and_then(|step| step.after) {
            Some(after) => after,
            None => fail("a move cannot be played"),
        };
    }
    let mut total = 0;
    for step in game.steps(mistake) {
        let nodes = step.count(mistake, depth - 1);
        println!("{} {nodes}", step.name);
        total += nodes;
    }
    println!("\n{total}");
}

fn fail(message: &str) -> ! {
    eprintln!("broken: {message}");
    process::exit(2)
}

/// A position, and what a generator with a mistake remembers besides.
#[derive(Clone)]
struct Game {
    board: Board,
    /// Squares whose rooks had a right to castle that was not taken away.
    kept_rights: Bitboard,
    /// The squares of pawns that made a double push with the last move, the one before it and the one before that.
    pushed: [Option<Square>; 3],
}

/// A move of the generator, legal or not.
struct Step {
    name: String,
    /// `None` where the move leads to a position that cannot be.
    after: Option<Game>,
}

impl Step {
    fn count(&self, mistake: Mistake, depth: u32) -> u64 {
        let Some(below) = depth.checked_sub(1) else {
            return 1;
        };
        let Some(game) = &self.after else { return 0 };
        let steps = game.steps(mistake);
        steps.iter().map(|step| step.count(mistake, below)).sum()
    }
}

impl Game {
    fn new(board: Board) -> Game {
        Game {
            board,
            kept_rights: Bitboard::EMPTY,
            pushed: [None; 3],
        }
    }

    fn steps(&self, mistake: Mistake) -> Vec<Step> {
        let game = self.with_kept_rights();
        let board = &game.board;
        if mistake == Mistake::DiesOnEp && board.en_passant().is_some() {
            eprintln!("index out of bounds");
            process::abort();
        }
        let legal = board.legal_moves();
        let mut steps: Vec<Step> = legal
            .iter()
            .filter(|mv| game.is_known(mistake, **mv))
            .map(|&mv| Step {
                name: game.name(mistake, mv),
                after: Some(game.after(mistake, mv)),
            })
            .collect();
        for (from, to) in game.surplus(mistake) {
            let name = format!("{from}{to}");
            if steps.iter().all(|step| step.name != name) {
                let after = game.after_anything(from, to);
                steps.push(Step { name, after });
            }
        }
        steps
    }

    /// The game with every right that was kept and has a rook to go with it.
    fn with_kept_rights(&self) -> Game {
        let mut game = self.clone();
        for rook in self.kept_rights {
            let mut setup = Setup::from(&game.board);
            setup.castling_rooks |= rook.bit();
            if let Ok(board) = Board::try_from(setup) {
                game.board = board;
            }
        }
        game
    }

    /// Whether the generator finds this legal move.
    fn is_known(&self, mistake: Mistake, mv: Move) -> bool {
        let is_capture = self.board.occupied().has(mv.to);
        match (mistake, mv.kind) {
            (Mistake::CastleKingStays, MoveKind::Castling) => king_and_rook_after(mv).0 != mv.from,
            (Mistake::CastleOuterRook, MoveKind::Castling) => {
                self.outer_rook(mv.from, mv.to) == mv.to
            }
            (Mistake::EpNoEvasion, MoveKind::EnPassant) => !self.board.is_check(),
            (Mistake::PromotionNoKnight, MoveKind::Promotion(role)) => role != Role::Knight,
            (Mistake::PromotionCaptureQueen, MoveKind::Promotion(role)) => {
                role == Role::Queen || !is_capture
            }
            _ => true,
        }
    }

    fn name(&self, mistake: Mistake, mv: Move) -> String {
        match (mistake, mv.kind) {
            (Mistake::PromotionToKing, MoveKind::Promotion(Role::Knight)) => {
                format!("{}{}k", mv.from, mv.to)
            }
            _ => mv.to_string(),
        }
    }

    fn after(&self, mistake: Mistake, mv: Move) -> Game {
        let pushed = (mv.kind == MoveKind::DoublePush).then_some(mv.to);
        let mut after = Game {
            board: self.board.play(mv),
            kept_rights: self.kept_rights,
            pushed: [pushed, self.pushed[0], self.pushed[1]],
        };
        let lost = self.board.castling_rooks() & !after.board.castling_rooks();
        let is_kept = match mistake {
            Mistake::KingKeepsRight => mv.role == Role::King && mv.kind == MoveKind::Plain,
            Mistake::RookKeepsRight => mv.role != Role::King,
            _ => false,
        };
        if is_kept {
            after.kept_rights |= lost;
        }
        after
    }

    /// Moves that are not legal and that the generator takes for legal.
    fn surplus(&self, mistake: Mistake) -> Vec<(Square, Square)> {
        match mistake {
            Mistake::CastleThroughCheck
            | Mistake::CastleIntoCheck
            | Mistake::CastleOutOfCheck
            | Mistake::CastleScreen
            | Mistake::CastleOverMan
            | Mistake::CastleOuterRook => self.castlings(mistake),
            Mistake::EpPin => self.en_passant(self.pushed[0]),
            Mistake::EpLate => self.en_passant(self.pushed[2]),
            Mistake::DoublePushOverMan => self.leaps_of_pawns(),
            Mistake::PawnWraps => self.captures_round_the_edge(),
            Mistake::KingNextToKing | Mistake::KingThroughXray => self.steps_of_king(mistake),
            Mistake::PinnedKnight => self.leaps_of_knights(),
            Mistake::DoubleCheckCapture => self.captures_in_double_check(),
            _ => Vec::new(),
        }
    }

    fn own(&self) -> Bitboard {
        self.board.pieces_of(self.board.turn())
    }

    fn king(&self) -> Square {
        self.board.king_of(self.board.turn())
    }

    fn own_with(&self, role: Role) -> Bitboard {
        self.board.with_role(role) & self.own()
    }

    /// Whether the king would be in check on this square, with some pieces taken off the board.
    fn is_attacked(&self, square: Square, lifted: &[Square]) -> bool {
        let mut setup = Setup::from(&self.board);
        for &piece in lifted {
            setup.remove(piece);
        }
        setup.remove(self.king());
        setup.place(self.board.turn(), Role::King, square);
        setup.turn = !self.board.turn();
        setup.castling_rooks = Bitboard::EMPTY;
        setup.en_passant = None;
        matches!(
            Board::try_from(setup),
            Err(SetupError::WaitingKingInCheck { .. })
        )
    }

    fn castlings(&self, mistake: Mistake) -> Vec<(Square, Square)> {
        let king = self.king();
        let rights = self.board.castling_rooks() & self.own();
        let mut found = Vec::new();
        for rook in rights {
            let rook = match mistake {
                Mistake::CastleOuterRook => self.outer_rook(king, rook),
                _ => rook,
            };
            if self.may_castle(mistake, king, rook) {
                found.push((king, rook));
            }
        }
        found
    }

    fn may_castle(&self, mistake: Mistake, king: Square, rook: Square) -> bool {
        let (king_to, rook_to) = places_after_castling(king, rook);
        let king_way = way(king, king_to);
        let mut must_be_vacant = king_way | way(rook, rook_to);
        if mistake == Mistake::CastleOverMan {
            must_be_vacant = king_way | rook_to.bit();
        }
        let is_free =
            (must_be_vacant & self.board.occupied() & !king.bit() & !rook.bit()).is_empty();
        let lifted: &[Square] = match mistake {
            Mistake::CastleScreen => &[],
            _ => &[rook],
        };
        let mut crossed = king_way;
        is_free
            && crossed.all(|square| {
                let is_overlooked = match mistake {
                    Mistake::CastleThroughCheck => square != king && square != king_to,
                    Mistake::CastleIntoCheck => square == king_to && square != king,
                    Mistake::CastleOutOfCheck => square == king,
                    _ => false,
                };
                is_overlooked || !self.is_attacked(square, lifted)
            })
    }

    /// The rook furthest from the king on the side of this one.
    fn outer_rook(&self, king: Square, rook: Square) -> Square {
        let rooks = self.own_with(Role::Rook) & Bitboard::rank(king.rank());
        let is_that_side = |other: &Square| (*other > king) == (rook > king);
        let distance = |other: &Square| other.file().abs_diff(king.file());
        rooks
            .filter(is_that_side)
            .max_by_key(distance)
            .unwrap_or(rook)
    }

    /// Captures of a pawn that has pushed, by whatever pawn stands beside it.
    fn en_passant(&self, pushed: Option<Square>) -> Vec<(Square, Square)> {
        let Some(pushed) = pushed.filter(|&square| {
            self.board.piece_at(square) == Some((!self.board.turn(), Role::Pawn))
        }) else {
            return Vec::new();
        };
        let to = pushed.offset(self.forward());
        let is_beside = |from: &Square| {
            from.rank() == pushed.rank() && from.file().abs_diff(pushed.file()) == 1
        };
        let pawns = self.own_with(Role::Pawn).filter(is_beside);
        if self.board.occupied().has(to) {
            return Vec::new();
        }
        pawns.map(|from| (from, to)).collect()
    }

    fn forward(&self) -> i8 {
        match self.board.turn() {
            Color::White => 8,
            Color::Black => -8,
        }
    }

    fn leaps_of_pawns(&self) -> Vec<(Square, Square)> {
        let first_rank = self.board.turn().home_rank().abs_diff(1);
        let pawns = self.own_with(Role::Pawn) & Bitboard::rank(first_rank);
        let leaps = pawns.map(|from| (from, from.offset(2 * self.forward())));
        let is_free = |leap: &(Square, Square)| !self.board.occupied().has(leap.1);
        self.safe(leaps.filter(is_free))
    }

    fn captures_round_the_edge(&self) -> Vec<(Square, Square)> {
        let mut captures = Vec::new();
        let enemies = self.board.pieces_of(!self.board.turn()) & !self.board.with_role(Role::King);
        for from in self.own_with(Role::Pawn) {
            for step in [self.forward() - 1, self.forward() + 1] {
                let Ok(index @ 8..56) = u32::try_from(from.index() as i8 + step) else {
                    continue;
                };
                let to = Square::from_index(index);
                if to.file().abs_diff(from.file()) == 7 && enemies.has(to) {
                    captures.push((from, to));
                }
            }
        }
        self.safe(captures.into_iter())
    }

    fn steps_of_king(&self, mistake: Mistake) -> Vec<(Square, Square)> {
        let king = self.king();
        let enemy_king = self.board.king_of(!self.board.turn());
        let is_near = |one: Square, other: Square| {
            one != other
                && one.file().abs_diff(other.file()) <= 1
                && one.rank().abs_diff(other.rank()) <= 1
        };
        let mut steps = Vec::new();
        for to in Square::all().filter(|&to| is_near(king, to) && !self.own().has(to)) {
            let is_taken_for_safe = match mistake {
                Mistake::KingNextToKing => {
                    is_near(to, enemy_king) && !self.is_attacked_but_by_king(to)
                }
                // As if the king still stood in the way behind itself.
                _ => self.board.is_check() && !self.is_attacked_behind_king(to),
            };
            if is_taken_for_safe {
                steps.push((king, to));
            }
        }
        steps
    }

    fn is_attacked_but_by_king(&self, square: Square) -> bool {
        let enemy_king = self.board.king_of(!self.board.turn());
        // The enemy's king has to be somewhere: in the corner that is furthest away.
        let corner = Square::at(
            if square.file() < 4 { 7 } else { 0 },
            if square.rank() < 4 { 7 } else { 0 },
        );
        let mut setup = Setup::from(&self.board);
        setup.remove(enemy_king);
        setup.place(!self.board.turn(), Role::King, corner);
        setup.remove(self.king());
        setup.place(self.board.turn(), Role::King, square);
        setup.turn = !self.board.turn();
        setup.castling_rooks = Bitboard::EMPTY;
        setup.en_passant = None;
        Board::try_from(setup).is_err()
    }

    /// Whether a square is attacked with a piece of ours left where the king stands.
    fn is_attacked_behind_king(&self, square: Square) -> bool {
        let mut setup = Setup::from(&self.board);
        setup.place(self.board.turn(), Role::Knight, self.king());
        setup.place(self.board.turn(), Role::King, square);
        setup.turn = !self.board.turn();
        setup.castling_rooks = Bitboard::EMPTY;
        setup.en_passant = None;
        Board::try_from(setup).is_err()
    }

    fn leaps_of_knights(&self) -> Vec<(Square, Square)> {
        if self.board.is_check() {
            return Vec::new();
        }
        let mut leaps = Vec::new();
        for from in self.own_with(Role::Knight) {
            let is_leap = |to: &Square| {
                let files = to.file().abs_diff(from.file());
                let ranks = to.rank().abs_diff(from.rank());
                files * ranks == 2
            };
            let free = Square::all().filter(|to| is_leap(to) && !self.own().has(*to));
            leaps.extend(free.map(|to| (from, to)));
        }
        leaps
    }

    /// Captures of a piece that gives check, which another one gives as well.
    fn captures_in_double_check(&self) -> Vec<(Square, Square)> {
        let checkers = self.board.checkers();
        if !checkers.has_several() {
            return Vec::new();
        }
        let mut captures = Vec::new();
        for checker in checkers {
            // With the other checkers gone, the legal captures of this one are those that are taken for legal here.
            let mut setup = Setup::from(&self.board);
            for other in checkers.filter(|other| *other != checker) {
                setup.remove(other);
            }
            setup.en_passant = None;
            let Ok(board) = Board::try_from(setup) else {
                continue;
            };
            let takes =
                |mv: &Move| mv.to == checker && mv.role != Role::King && mv.kind == MoveKind::Plain;
            let moves = board.legal_moves().into_iter().filter(takes);
            captures.extend(moves.map(|mv| (mv.from, mv.to)));
        }
        captures
    }

    /// Those moves that do not leave the king in check.
    fn safe(&self, moves: impl Iterator<Item = (Square, Square)>) -> Vec<(Square, Square)> {
        moves
            .filter(|&(from, to)| self.after_anything(from, to).is_some())
            .collect()
    }

    /// The game after a piece has gone anywhere, if what comes of it can be.
    fn after_anything(&self, from: Square, to: Square) -> Option<Game> {
        let mut setup = Setup::from(&self.board);
        let (color, role) = setup.piece_at(from)?;
        let is_castling = role == Role::King && setup.piece_at(to) == Some((color, Role::Rook));
        let is_en_passant =
            role == Role::Pawn && from.file() != to.file() && setup.piece_at(to).is_none();
        setup.remove(from);
        if is_castling {
            let (king_to, rook_to) = places_after_castling(from, to);
            setup.remove(to);
            setup.place(color, Role::King, king_to);
            setup.place(color, Role::Rook, rook_to);
        } else {
            setup.place(color, role, to);
        }
        if is_en_passant {
            setup.remove(Square::at(to.file(), from.rank()));
        }
        let home = Bitboard::rank(color.home_rank());
        setup.castling_rooks &= !(from.bit() | to.bit());
        if role == Role::King {
            setup.castling_rooks &= !home;
        }
        setup.en_passant = None;
        setup.turn = !color;
        Some(Game::new(Board::try_from(setup).ok()?))
    }
}

fn king_and_rook_after(mv: Move) -> (Square, Square) {
    places_after_castling(mv.from, mv.to)
}

fn places_after_castling(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = if rook > king { (6, 5) } else { (2, 3) };
    (
        Square::at(king_file, king.rank()),
        Square::at(rook_file, king.rank()),
    )
}

/// All squares of a rank from one to another, both of them among these.
fn way(one: Square, other: Square) -> Bitboard {
    let files = one.file().min(other.file())..=one.file().max(other.file());
    files.map(|file| Square::at(file, one.rank())).collect()
}
