//! The starts, and the totals of their games.

use ninesixty::start::{BackRank, DoubleNumbering, DoubleStart, StartId};
use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

use super::tags::{Header, SPEEDS, TERMINATIONS};

/// A start and its games.
pub struct Start {
    pub ids: DoubleStart,
    pub position: Chess,
    pub hash: Zobrist64,
    pub totals: StartTotals,
}

/// The castling rights of a FEN, compared with those of the start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FenRights {
    Correct,
    Wrong,
    Missing,
}

/// The totals of the games from a start. Pairs are White's and Black's.
#[derive(Clone, Default)]
pub struct StartTotals {
    pub outcomes: [u64; 4],
    pub rated: [u64; 2],
    pub ratings: [u64; 2],
    /// Finished games with both ratings, White's half points in them, and the expected score in units of 2^-32.
    pub both_rated: u64,
    pub half_points: u64,
    pub expected: u64,
    pub squared_surplus: u64,
    pub plies: u64,
    /// Games by player and side, a-side first, and the plies at which they castled.
    pub castled: [[u64; 2]; 2],
    pub castled_plies: [[u64; 2]; 2],
    pub castled_on_move_1: [u64; 2],
    pub repaired: u64,
    pub speeds: [u64; SPEEDS.len()],
    pub terminations: [u64; TERMINATIONS.len()],
    /// The first date and the last; 0 if none is known.
    pub dates: [u32; 2],
    pub first_moves: Vec<(Move, Played)>,
}

/// The games in which a move was played.
#[derive(Clone, Copy, Default)]
pub struct Played {
    pub outcomes: [u32; 4],
    pub rated: u32,
    pub ratings: u64,
}

/// The start that a FEN shows, whatever its castling field says.
pub fn read_fen(fen: &[u8]) -> Option<(Start, FenRights)> {
    let fen = str::from_utf8(fen).ok()?;
    let mut fields = fen.split_ascii_whitespace();
    let (placement, turn) = (fields.next()?, fields.next()?);
    let castling = fields.next().unwrap_or("-");
    let (black, rest) = placement.split_once('/')?;
    let white = rest.strip_prefix("pppppppp/8/8/8/8/PPPPPPPP/")?;
    let is_start = turn == "w"
        && black.bytes().all(|byte| byte.is_ascii_lowercase())
        && white.bytes().all(|byte| byte.is_ascii_uppercase());
    let id = |rank: &str| Some(rank.to_uppercase().parse::<BackRank>().ok()?.id());
    let ids = DoubleStart {
        white: id(white)?,
        black: id(black)?,
    };
    let start = Start::new(ids);
    let rights = |position: &Chess| position.castles().castling_rights();
    let rights = match position(fen) {
        _ if castling == "-" => FenRights::Missing,
        Some(position) if rights(&position) == rights(&start.position) => FenRights::Correct,
        _ => FenRights::Wrong,
    };
    is_start.then_some((start, rights))
}

fn position(fen: &str) -> Option<Chess> {
    let fen: Fen = fen.parse().ok()?;
    fen.into_position(CastlingMode::Chess960).ok()
}

impl Start {
    fn new(ids: DoubleStart) -> Start {
        let [white, black] = [ids.white, ids.black].map(|id| BackRank::from(id).to_string());
        let black = black.to_lowercase();
        let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
        let position = position(&fen).expect("a start is a legal position");
        Start {
            ids,
            hash: position.zobrist_hash(EnPassantMode::Legal),
            position,
            totals: StartTotals::default(),
        }
    }

    pub fn classical() -> Start {
        Start::new(DoubleStart {
            white: StartId::CLASSICAL,
            black: StartId::CLASSICAL,
        })
    }

    pub fn without_games(self) -> Start {
        Start {
            totals: StartTotals::default(),
            ..self
        }
    }

    pub fn number(&self) -> u32 {
        DoubleNumbering::WhiteFirst.number(self.ids)
    }

    pub fn is_double(&self) -> bool {
        self.ids.white != self.ids.black
    }

    pub fn is_classical(&self) -> bool {
        self.ids.single() == Some(StartId::CLASSICAL)
    }

    pub fn count_first_move(&mut self, mv: Move, outcome: u8, rating: Option<u16>) {
        played_mut(&mut self.totals.first_moves, mv).count(outcome, rating);
    }
}

fn played_mut(moves: &mut Vec<(Move, Played)>, mv: Move) -> &mut Played {
    let known = moves.iter().position(|(known, _)| *known == mv);
    let index = known.unwrap_or_else(|| {
        moves.push((mv, Played::default()));
        moves.len() - 1
    });
    &mut moves[index].1
}

impl Played {
    pub fn count(&mut self, outcome: u8, rating: Option<u16>) {
        self.outcomes[usize::from(outcome)] += 1;
        if let Some(rating) = rating {
            self.rated += 1;
            self.ratings += u64::from(rating);
        }
    }

    pub fn add(&mut self, other: &Played) {
        add(&mut self.outcomes, &other.outcomes);
        self.rated += other.rated;
        self.ratings += other.ratings;
    }

    pub fn games(&self) -> u64 {
        self.outcomes.iter().copied().map(u64::from).sum()
    }
}

impl StartTotals {
    pub fn games(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    pub fn count(&mut self, header: &Header, plies: u32, castled: [Option<(u32, bool)>; 2]) {
        let outcome = header.outcome.unwrap_or(3);
        self.outcomes[usize::from(outcome)] += 1;
        for (player, castled) in castled.into_iter().enumerate() {
            if let Some(rating) = header.ratings[player] {
                self.rated[player] += 1;
                self.ratings[player] += u64::from(rating);
            }
            if let Some((ply, is_h_side)) = castled {
                let side = usize::from(is_h_side);
                self.castled[player][side] += 1;
                self.castled_plies[player][side] += u64::from(ply);
                self.castled_on_move_1[player] += u64::from(ply <= 2);
            }
        }
        if let ([Some(white), Some(black)], 0..=2) = (header.ratings, outcome) {
            let expected = expected_score(white, black);
            let half_points = u64::from(2 - outcome);
            self.both_rated += 1;
            self.half_points += half_points;
            self.expected += expected;
            let surplus = (half_points << 15).abs_diff(expected >> 16);
            self.squared_surplus += surplus * surplus;
        }
        self.plies += u64::from(plies);
        self.speeds[header.speed] += 1;
        self.terminations[header.termination] += 1;
        let date = if header.date > 0 {
            header.date
        } else {
            header.utc_date
        };
        self.add_dates([date; 2]);
    }

    fn add_dates(&mut self, [first, last]: [u32; 2]) {
        if first > 0 && (self.dates[0] == 0 || first < self.dates[0]) {
            self.dates[0] = first;
        }
        self.dates[1] = self.dates[1].max(last);
    }

    pub fn add(&mut self, other: &StartTotals) {
        add(&mut self.outcomes, &other.outcomes);
        add(&mut self.rated, &other.rated);
        add(&mut self.ratings, &other.ratings);
        self.both_rated += other.both_rated;
        self.half_points += other.half_points;
        self.expected += other.expected;
        self.squared_surplus += other.squared_surplus;
        self.plies += other.plies;
        for player in 0..2 {
            add(&mut self.castled[player], &other.castled[player]);
            add(
                &mut self.castled_plies[player],
                &other.castled_plies[player],
            );
        }
        add(&mut self.castled_on_move_1, &other.castled_on_move_1);
        self.repaired += other.repaired;
        add(&mut self.speeds, &other.speeds);
        add(&mut self.terminations, &other.terminations);
        self.add_dates(other.dates);
        for (mv, played) in &other.first_moves {
            played_mut(&mut self.first_moves, *mv).add(played);
        }
    }
}

fn add<T: Copy + std::ops::AddAssign>(here: &mut [T], there: &[T]) {
    for (here, there) in here.iter_mut().zip(there) {
        *here += *there;
    }
}

/// White's expected score by Elo's formula, in units of 2^-32.
fn expected_score(white: u16, black: u16) -> u64 {
    let difference = f64::from(i32::from(black) - i32::from(white));
    let expected = 1.0 / (1.0 + 10_f64.powf(difference / 400.0));
    (expected * 2_f64.powi(32)).round() as u64
}
