//! Generated games: random legal moves, with popular openings.
//!
//! In each position of the opening the moves have a fixed order of popularity, and the n-th is played with a frequency
//! proportional to a power of 1/n (Zipf's law): a few moves are common, and the tail is long. The order prefers castling,
//! captures, development and the centre, and depends on the position otherwise. No two games are alike.

use std::io::Write;

use ninesixty::chess::{Board, Move, MoveKind, Role};
use ninesixty::start::StartId;
use rand::{Rng, RngExt};

use super::Batch;
use super::text::{Wrapped, any, date, full_name, game_id, player, rating, tag, time};

const GAMES_PER_BATCH: usize = 512;

/// The law by which moves are chosen.
struct Popularity {
    /// The sum of the weights of the first n moves, for every n.
    cumulative: Vec<f64>,
}

/// How games of a kind are played.
struct Style {
    opening: Popularity,
    /// After the opening.
    later: Popularity,
    /// The plies of the opening.
    opening_plies: u32,
    /// The length of a game without an early mate: a minimum, and the mean of what is added to it.
    plies: (u32, f64),
}

/// After this many plies every legal move is as popular as any other: all games are different by then.
const POPULAR_PLIES: u32 = 40;

/// The moves of a game in SAN, one after the other.
#[derive(Default)]
struct Played {
    sans: Vec<u8>,
    /// Where each move ends.
    ends: Vec<usize>,
    result: &'static str,
}

/// A batch of games of which this percentage is Chess960, and the others classical.
pub fn batch(random: &mut impl Rng, chess960_percent: u32) -> Batch {
    let chess960 = Style {
        opening: Popularity::new(1.5),
        later: Popularity::new(0.8),
        opening_plies: 16,
        plies: (3, 60.0),
    };
    let classical = Style {
        opening: Popularity::new(3.2),
        later: Popularity::new(0.8),
        opening_plies: 14,
        plies: (8, 72.0),
    };
    let mut batch = Batch::default();
    for _ in 0..GAMES_PER_BATCH {
        if random.random_range(0..100) < chess960_percent {
            batch.push(|out| chess960_game(&chess960, random, out));
        } else {
            batch.push(|out| classical_game(&classical, random, out));
        }
    }
    batch
}

/// A game with the tags of Lichess, in their order, and all moves in one line.
fn chess960_game(style: &Style, random: &mut impl Rng, out: &mut Vec<u8>) {
    const TIME_CONTROLS: [&str; 8] = [
        "60+0", "60+0", "180+0", "180+0", "180+2", "300+3", "600+5", "-",
    ];
    const TERMINATIONS: [&str; 4] = ["Normal", "Normal", "Normal", "Time forfeit"];
    let start = Board::from_start(StartId::random(random));
    let ratings = [(); 2].map(|()| rating(random));
    let played = style.play(start, ratings, random);
    let date = date(random);
    tag!(out, "Event", "Rated Chess960 game");
    tag!(out, "Site", "https://lichess.org/{}", game_id(random));
    tag!(out, "Date", "{date}");
    tag!(out, "Round", "-");
    tag!(out, "White", "{}", player(random));
    tag!(out, "Black", "{}", player(random));
    tag!(out, "Result", "{}", played.result);
    tag!(out, "UTCDate", "{date}");
    tag!(out, "UTCTime", "{}", time(random));
    tag!(out, "WhiteElo", "{}", ratings[0]);
    tag!(out, "BlackElo", "{}", ratings[1]);
    tag!(out, "TimeControl", "{}", any(&TIME_CONTROLS, random));
    let termination = match played.result {
        "*" => "Abandoned",
        _ => any(&TERMINATIONS, random),
    };
    tag!(out, "Termination", "{termination}");
    tag!(out, "FEN", "{}", start.x_fen());
    tag!(out, "SetUp", "1");
    tag!(out, "Variant", "Chess960");
    out.push(b'\n');
    for (ply, san) in played.moves().enumerate() {
        if ply % 2 == 0 {
            _ = write!(out, "{}. ", ply / 2 + 1);
        }
        out.extend_from_slice(san);
        out.push(b' ');
    }
    _ = write!(out, "{}\n\n", played.result);
}

/// A game with the tags of tournament databases, in lines of 80 columns.
fn classical_game(style: &Style, random: &mut impl Rng, out: &mut Vec<u8>) {
    const CITIES: [&str; 8] = [
        "Biel SUI",
        "Chennai IND",
        "Dortmund GER",
        "Hastings ENG",
        "Linares ESP",
        "London ENG",
        "Reykjavik ISL",
        "Wijk aan Zee NED",
    ];
    let ratings = [(); 2].map(|()| 1_000 + rating(random) * 6 / 10);
    let played = style.play(Board::from_start(StartId::CLASSICAL), ratings, random);
    let city = any(&CITIES, random);
    tag!(
        out,
        "Event",
        "{}th {} Open",
        random.random_range(4..99),
        city.rsplit_once(' ').map_or(city, |(name, _)| name)
    );
    tag!(out, "Site", "{city}");
    tag!(out, "Date", "{}", date(random));
    tag!(
        out,
        "Round",
        "{}.{}",
        random.random_range(1..=11),
        random.random_range(1..=80)
    );
    tag!(out, "White", "{}", full_name(random));
    tag!(out, "Black", "{}", full_name(random));
    tag!(out, "Result", "{}", played.result);
    tag!(out, "WhiteElo", "{}", ratings[0]);
    tag!(out, "BlackElo", "{}", ratings[1]);
    let volume = char::from(random.random_range(b'A'..=b'E'));
    tag!(out, "ECO", "{volume}{:02}", random.random_range(0..100));
    out.push(b'\n');
    let mut text = Wrapped::new(out);
    for (ply, san) in played.moves().enumerate() {
        if ply % 2 == 0 {
            text.push_formatted(format_args!("{}.{}", ply / 2 + 1, san.escape_ascii()));
        } else {
            text.push(san);
        }
    }
    text.push(played.result.as_bytes());
    out.extend_from_slice(b"\n\n");
}

impl Played {
    fn moves(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(&0).chain(&self.ends);
        begins
            .zip(&self.ends)
            .map(|(&begin, &end)| &self.sans[begin..end])
    }
}

impl Style {
    fn play(&self, mut board: Board, ratings: [u32; 2], random: &mut impl Rng) -> Played {
        let mut played = Played::default();
        let mut moves = Vec::with_capacity(64);
        for ply in 0..self.length(random) {
            moves.clear();
            board.for_each_move(|mv| moves.push((0, mv)));
            if moves.is_empty() {
                played.result = match (board.is_check(), ply % 2) {
                    (false, _) => "1/2-1/2",
                    (true, 0) => "0-1",
                    (true, _) => "1-0",
                };
                return played;
            }
            let mv = match ply {
                POPULAR_PLIES.. => moves[random.random_range(0..moves.len())].1,
                _ if ply < self.opening_plies => self.opening.choose(&board, &mut moves, random),
                _ => self.later.choose(&board, &mut moves, random),
            };
            let after = board.play(mv);
            write_san(&board, mv, &after, &moves, &mut played.sans);
            played.ends.push(played.sans.len());
            board = after;
        }
        played.result = agreed_result(ratings, random);
        played
    }

    /// A gamma distribution with shape 3, which has about the form of the lengths of real games.
    fn length(&self, random: &mut impl Rng) -> u32 {
        let (min, mean) = self.plies;
        let exponential = |random: &mut _| -mean / 3.0 * uniform(random).ln();
        let added: f64 = (0..3).map(|_| exponential(random)).sum();
        (min + added as u32).min(300)
    }
}

/// How a game ends that was not mate or stalemate, by the ratings of the players.
fn agreed_result(ratings: [u32; 2], random: &mut impl Rng) -> &'static str {
    let [white, black] = ratings.map(f64::from);
    let expected = 1.0 / (1.0 + 10_f64.powf((black - white) / 400.0));
    match uniform(random) {
        share if share < 0.005 => "*",
        share if share < 0.15 => "1/2-1/2",
        _ if uniform(random) < expected => "1-0",
        _ => "0-1",
    }
}

/// A random number between 0 and 1, and never 0.
fn uniform(random: &mut impl Rng) -> f64 {
    random.random_range(f64::MIN_POSITIVE..1.0)
}

impl Popularity {
    /// The n-th move is played with a frequency proportional to 1/n to this power.
    fn new(power: f64) -> Popularity {
        let mut sum = 0.0;
        let cumulative = (1..=256_u32).map(|rank| {
            sum += f64::from(rank).powf(-power);
            sum
        });
        Popularity {
            cumulative: cumulative.collect(),
        }
    }

    /// One of the legal moves.
    fn choose(&self, board: &Board, moves: &mut [(i64, Move)], random: &mut impl Rng) -> Move {
        let noise = position_noise(board);
        for (order, mv) in moves.iter_mut() {
            *order = unpopularity(board, noise, *mv);
        }
        let last = moves.len() - 1;
        let share = random.random_range(0.0..self.cumulative[last]);
        let rank = self.cumulative.iter().position(|&sum| sum > share);
        let rank = rank.unwrap_or(last).min(last);
        let (_, &mut (_, mv), _) = moves
            .select_nth_unstable_by_key(rank, |&(order, mv)| (order, mv.from.index(), mv.kind));
        mv
    }
}

/// A number that is the same whenever the position is.
fn position_noise(board: &Board) -> u64 {
    let roles = Role::ALL.into_iter().map(|role| board.with_role(role).0);
    let parts = roles.chain([board.pieces_of(board.turn()).0]);
    parts.fold(0, |noise, part| {
        (noise ^ part).rotate_left(23).wrapping_mul(SPREAD)
    })
}

/// 2^64 divided by the golden ratio: a multiplication by it spreads the bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Appends a move in SAN. `moves` are all legal moves of the position, which [`Board::san`] would generate again.
fn write_san(board: &Board, mv: Move, after: &Board, moves: &[(i64, Move)], out: &mut Vec<u8>) {
    let (from, to) = (mv.from, mv.to);
    let is_capture = mv.kind == MoveKind::EnPassant || board.occupied().has(to);
    let (file, rank) = (b'a' + from.file(), b'1' + from.rank());
    match (mv.kind, mv.role) {
        (MoveKind::Castling, _) if to.file() > from.file() => out.extend_from_slice(b"O-O"),
        (MoveKind::Castling, _) => out.extend_from_slice(b"O-O-O"),
        (_, Role::Pawn) if is_capture => out.push(file),
        (_, Role::Pawn) => {}
        (_, role) => {
            out.push(role.letter() as u8);
            let rivals = moves.iter().map(|(_, other)| other).filter(|other| {
                (other.role, other.to) == (role, to)
                    && other.from != from
                    && other.kind != MoveKind::Castling
            });
            let (mut any, mut on_file, mut on_rank) = (false, false, false);
            for rival in rivals {
                any = true;
                on_file |= rival.from.file() == from.file();
                on_rank |= rival.from.rank() == from.rank();
            }
            match (any, on_file, on_rank) {
                (false, ..) => {}
                (_, false, _) => out.push(file),
                (_, true, false) => out.push(rank),
                (_, true, true) => out.extend_from_slice(&[file, rank]),
            }
        }
    }
    if mv.kind != MoveKind::Castling {
        if is_capture {
            out.push(b'x');
        }
        out.extend_from_slice(&[b'a' + to.file(), b'1' + to.rank()]);
    }
    if let MoveKind::Promotion(role) = mv.kind {
        out.extend_from_slice(&[b'=', role.letter() as u8]);
    }
    if after.is_check() {
        out.push(if after.count_moves() == 0 { b'#' } else { b'+' });
    }
}

/// The place of a move in the order of popularity: the smaller, the more popular.
fn unpopularity(board: &Board, position: u64, mv: Move) -> i64 {
    let squares = (mv.from.index() << 6 | mv.to.index()) as u64;
    let noise = ((position ^ squares).wrapping_mul(SPREAD) >> 54) as i64;
    let value = |role| match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 300,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    };
    let is_development = mv.from.rank() == board.turn().home_rank();
    let gain = match board.piece_at(mv.to) {
        _ if mv.kind == MoveKind::Castling => 1_500,
        Some((_, victim)) => 200 + value(victim) - value(mv.role) / 4,
        None if mv.role == Role::King && !board.castling_rooks().is_empty() => -1_500,
        None => match (mv.role, mv.to.file(), mv.to.rank()) {
            (Role::Rook | Role::King, ..) => -600,
            (Role::Knight | Role::Bishop, ..) if is_development => 600,
            (_, 2..=5, 2..=5) => 300,
            _ => 0,
        },
    };
    noise - gain
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn games(chess960_percent: u32) -> String {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        String::from_utf8(batch(&mut random, chess960_percent).text).unwrap()
    }

    #[test]
    fn every_move_is_legal_and_written_as_the_library_writes_it() {
        for percent in [0, 100] {
            let text = games(percent);
            let mut sections = text.split_terminator("\n\n");
            while let (Some(tags), Some(movetext)) = (sections.next(), sections.next()) {
                let fen = tags
                    .lines()
                    .find_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]"));
                let mut board = fen.map_or(Board::from_start(StartId::CLASSICAL), |fen| {
                    fen.parse().unwrap()
                });
                let words = movetext.split_ascii_whitespace();
                let words = words.map(|word| word.rsplit('.').next().unwrap_or_default());
                let is_move = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
                for san in words.filter(is_move) {
                    let mv = board.parse_san(san).unwrap();
                    assert_eq!(board.san(mv), san, "{}", board.x_fen());
                    board = board.play(mv);
                }
                let result = movetext.rsplit([' ', '\n']).next().unwrap();
                assert!(tags.contains(&format!("[Result \"{result}\"]")), "{tags}");
            }
        }
    }

    #[test]
    fn no_two_games_have_the_same_moves() {
        let text = games(50);
        let mut movetexts: Vec<&str> = text.split("\n\n").skip(1).step_by(2).collect();
        assert_eq!(movetexts.len(), GAMES_PER_BATCH);
        // Games that end within the opening may be alike.
        movetexts.retain(|movetext| movetext.len() > 200);
        movetexts.sort_unstable();
        assert!(movetexts.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
