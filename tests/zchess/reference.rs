//! A slow reference implementation of Z-Chess: circles are pairs of row and number, pieces are letters, moves are
//! texts, and a move is legal if no enemy piece can capture the king after it. It shares no code with the library.

use std::collections::BTreeSet;

/// A row, 0 for a to 8 for i, and a number.
pub type Circle = (i32, i32);

const ALONG_ROW: [Circle; 2] = [(0, 2), (0, -2)];
const DIAGONALS: [Circle; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

#[derive(Clone)]
pub struct Reference {
    /// Indexed by row and number; upper-case letters are white pieces.
    pieces: [[Option<char>; 18]; 9],
    white_to_move: bool,
    castling: String,
}

/// Statistics of a move tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub nodes: u64,
    pub castles_left: u64,
    pub castles_right: u64,
    pub promotions: u64,
    pub mates: u64,
    pub stalemates: u64,
    /// Moves that are illegal only because of a rook on another row than the king, without check before the move.
    pub pins_around_a_corner: u64,
}

fn is_circle((row, number): Circle) -> bool {
    match row {
        0 | 2 | 4 | 6 | 8 => number % 2 == 1 && (1..=17).contains(&number),
        1 | 3 | 5 | 7 => number % 2 == 0 && (2..=16).contains(&number),
        _ => false,
    }
}

fn circles() -> impl Iterator<Item = Circle> {
    let all = (0..9).flat_map(|row| (1..=17).map(move |number| (row, number)));
    all.filter(|&circle| is_circle(circle))
}

fn name((row, number): Circle) -> String {
    format!("{}{number}", (b'a' + row as u8) as char)
}

fn plus(a: Circle, b: Circle) -> Circle {
    (a.0 + b.0, a.1 + b.1)
}

impl Reference {
    pub fn read(text: &str) -> Reference {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut pieces = [[None; 18]; 9];
        for (row, letters) in (0..9).rev().zip(fields[0].split('/')) {
            let mut number = if row % 2 == 0 { 1 } else { 2 };
            for letter in letters.chars() {
                match letter.to_digit(10) {
                    Some(empty) => number += 2 * empty as usize,
                    None => {
                        pieces[row][number] = Some(letter);
                        number += 2;
                    }
                }
            }
        }
        Reference {
            pieces,
            white_to_move: fields[1] == "w",
            castling: fields[2].replace('-', ""),
        }
    }

    pub fn text(&self) -> String {
        let mut rows = Vec::new();
        for row in (0..9).rev() {
            let mut letters = String::new();
            for circle in circles().filter(|circle| circle.0 == row) {
                match (self.at(circle), letters.pop()) {
                    (Some(piece), last) => letters.extend(last.into_iter().chain([piece])),
                    (None, Some(digit @ '1'..='8')) => letters.push((digit as u8 + 1) as char),
                    (None, last) => letters.extend(last.into_iter().chain(['1'])),
                }
            }
            rows.push(letters);
        }
        let turn = if self.white_to_move { "w" } else { "b" };
        let castling = if self.castling.is_empty() {
            "-"
        } else {
            &self.castling
        };
        format!("{} {turn} {castling}", rows.join("/"))
    }

    fn at(&self, (row, number): Circle) -> Option<char> {
        self.pieces[row as usize][number as usize]
    }

    fn put(&mut self, (row, number): Circle, piece: Option<char>) {
        self.pieces[row as usize][number as usize] = piece;
    }

    fn is_empty(&self, circle: Circle) -> bool {
        is_circle(circle) && self.at(circle).is_none()
    }

    fn pieces_of(&self, white: bool) -> Vec<(Circle, char)> {
        circles()
            .filter_map(|circle| Some((circle, self.at(circle)?)))
            .filter(|(_, piece)| piece.is_ascii_uppercase() == white)
            .collect()
    }

    /// The circles in one direction, up to the first occupied circle, which is included.
    fn slide(&self, from: Circle, step: Circle) -> Vec<Circle> {
        let mut reached = Vec::new();
        let mut circle = plus(from, step);
        while is_circle(circle) {
            reached.push(circle);
            if !self.is_empty(circle) {
                break;
            }
            circle = plus(circle, step);
        }
        reached
    }

    /// The circles on which a piece could capture.
    fn attacked_by(&self, from: Circle, piece: char) -> BTreeSet<Circle> {
        let slides = |steps: &[Circle]| -> BTreeSet<Circle> {
            steps
                .iter()
                .flat_map(|&step| self.slide(from, step))
                .collect()
        };
        let six = [ALONG_ROW.as_slice(), &DIAGONALS].concat();
        match piece.to_ascii_uppercase() {
            'K' => six
                .iter()
                .map(|&step| plus(from, step))
                .filter(|&to| is_circle(to))
                .collect(),
            'Q' => slides(&six),
            'B' => slides(&DIAGONALS),
            'R' => {
                let mut reached = slides(&ALONG_ROW);
                for diagonal in DIAGONALS {
                    for turn in self.slide(from, diagonal) {
                        if self.is_empty(turn) {
                            for step in ALONG_ROW {
                                reached.extend(self.slide(turn, step));
                            }
                        }
                    }
                }
                reached
            }
            'N' => knight(from),
            'P' => {
                let forward = if piece == 'P' { 1 } else { -1 };
                [(forward, 1), (forward, -1)]
                    .map(|step| plus(from, step))
                    .into_iter()
                    .filter(|&to| is_circle(to))
                    .collect()
            }
            other => panic!("{other} is no piece"),
        }
    }

    /// The pieces of one colour that attack a circle.
    fn attackers(&self, target: Circle, white: bool) -> Vec<(Circle, char)> {
        let mut pieces = self.pieces_of(white);
        pieces.retain(|&(from, piece)| self.attacked_by(from, piece).contains(&target));
        pieces
    }

    fn attackers_of_king(&self, white: bool) -> Vec<(Circle, char)> {
        let king = if white { 'K' } else { 'k' };
        let mut places = circles().filter(|&circle| self.at(circle) == Some(king));
        self.attackers(places.next().unwrap(), !white)
    }

    pub fn is_check(&self) -> bool {
        !self.attackers_of_king(self.white_to_move).is_empty()
    }

    /// The pseudo-legal moves except castling, each with the position after it.
    fn pseudo_moves(&self) -> Vec<(String, Reference)> {
        let mut moves = Vec::new();
        for (from, piece) in self.pieces_of(self.white_to_move) {
            let own = |to| {
                self.at(to)
                    .is_some_and(|other| other.is_ascii_uppercase() == self.white_to_move)
            };
            let mut targets = self.attacked_by(from, piece);
            targets.retain(|&to| !own(to));
            if piece.eq_ignore_ascii_case(&'p') {
                targets.extend(self.double_steps(from, piece));
            }
            for to in targets {
                let is_last = to.0 == if piece == 'P' { 8 } else { 0 };
                if piece.eq_ignore_ascii_case(&'p') && is_last {
                    for promotion in ['q', 'r', 'b', 'n'] {
                        let text = format!("{}{}{promotion}", name(from), name(to));
                        let promoted = if piece == 'P' {
                            promotion.to_ascii_uppercase()
                        } else {
                            promotion
                        };
                        moves.push((text, self.moved(from, to, promoted)));
                    }
                } else {
                    let text = format!("{}{}", name(from), name(to));
                    moves.push((text, self.moved(from, to, piece)));
                }
            }
        }
        moves
    }

    fn double_steps(&self, from: Circle, pawn: char) -> Vec<Circle> {
        let (start_row, forward) = if pawn == 'P' { (1, 1) } else { (7, -1) };
        let steps = [(forward, 1), (forward, -1)].into_iter();
        steps
            .filter(|_| from.0 == start_row)
            .map(|step| (plus(from, step), plus(plus(from, step), step)))
            .filter(|&(passed, to)| self.is_empty(passed) && self.is_empty(to))
            .map(|(_, to)| to)
            .collect()
    }

    fn moved(&self, from: Circle, to: Circle, piece: char) -> Reference {
        let mut after = self.clone();
        after.put(from, None);
        after.put(to, Some(piece));
        after.white_to_move = !self.white_to_move;
        for (home, rights) in [
            ((0, 9), "LR"),
            ((8, 9), "lr"),
            ((0, 1), "L"),
            ((0, 17), "R"),
            ((8, 1), "l"),
            ((8, 17), "r"),
        ] {
            if from == home || to == home {
                after.castling.retain(|right| !rights.contains(right));
            }
        }
        after
    }

    fn castling_moves(&self) -> Vec<(String, Reference)> {
        let row = if self.white_to_move { 0 } else { 8 };
        let sides = [('L', 1, [3, 5, 7], 7, 5), ('R', 17, [11, 13, 15], 11, 13)];
        let mut moves = Vec::new();
        for (letter, rook, between, crossed, reached) in sides {
            let right = if self.white_to_move {
                letter
            } else {
                letter.to_ascii_lowercase()
            };
            let is_free = between.iter().all(|&number| self.is_empty((row, number)));
            if !self.castling.contains(right) || !is_free || self.is_check() {
                continue;
            }
            let king = self.at((row, 9)).unwrap();
            let crossing = self.moved((row, 9), (row, crossed), king);
            let mut after = self.moved((row, 9), (row, reached), king);
            after.put((row, crossed), self.at((row, rook)));
            after.put((row, rook), None);
            let is_safe =
                |position: &Reference| position.attackers_of_king(self.white_to_move).is_empty();
            if is_safe(&crossing) && is_safe(&after) {
                moves.push((format!("0-0-0({letter})"), after));
            }
        }
        moves
    }

    /// The legal moves, each with the position after it.
    pub fn moves(&self) -> Vec<(String, Reference)> {
        let mut moves = self.pseudo_moves();
        moves.retain(|(_, after)| after.attackers_of_king(self.white_to_move).is_empty());
        moves.extend(self.castling_moves());
        moves.sort_by(|a, b| a.0.cmp(&b.0));
        moves
    }

    /// Counts the move sequences of `depth` plies and gathers statistics.
    pub fn perft(&self, depth: u32, seen: &mut Seen) {
        if depth == 0 {
            seen.nodes += 1;
            return;
        }
        let moves = self.moves();
        self.record(&moves, seen);
        for (_, after) in moves {
            after.perft(depth - 1, seen);
        }
    }

    fn record(&self, moves: &[(String, Reference)], seen: &mut Seen) {
        let is_check = self.is_check();
        if moves.is_empty() {
            *(if is_check {
                &mut seen.mates
            } else {
                &mut seen.stalemates
            }) += 1;
        }
        let count =
            |what: fn(&str) -> bool| moves.iter().filter(|(text, _)| what(text)).count() as u64;
        seen.castles_left += count(|text| text.ends_with("(L)"));
        seen.castles_right += count(|text| text.ends_with("(R)"));
        seen.promotions += count(|text| text.ends_with('q'));
        if !is_check {
            let white = self.white_to_move;
            let forbidden = self.pseudo_moves().into_iter().filter(|(_, after)| {
                let attackers = after.attackers_of_king(white);
                let is_corner = |&(from, piece): &(Circle, char)| {
                    piece.eq_ignore_ascii_case(&'r')
                        && after.at(from) == self.at(from)
                        && from.0 != self.king_row(white)
                        && after.king_row(white) == self.king_row(white)
                };
                !attackers.is_empty() && attackers.iter().all(is_corner)
            });
            seen.pins_around_a_corner += forbidden.count() as u64;
        }
    }

    fn king_row(&self, white: bool) -> i32 {
        let king = if white { 'K' } else { 'k' };
        circles()
            .find(|&circle| self.at(circle) == Some(king))
            .unwrap()
            .0
    }
}

/// Two single steps with a turn between them, never by a sharp angle: the second step and the way back of the first one
/// enclose at least 90 degrees on the board as drawn, with numbers to the right and rows upwards.
pub fn knight(from: Circle) -> BTreeSet<Circle> {
    let six = [ALONG_ROW.as_slice(), &DIAGONALS].concat();
    let mut reached = BTreeSet::new();
    for &first in &six {
        let turn = plus(from, first);
        for &second in &six {
            let dot_product = -(first.0 * second.0 + first.1 * second.1);
            let to = plus(turn, second);
            if is_circle(turn) && is_circle(to) && second != first && dot_product <= 0 {
                reached.insert(to);
            }
        }
    }
    reached
}
