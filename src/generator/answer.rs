//! Counts as other programs print them: a line per first move, and a total.
//!
//! In walk the lines that came; out walk the branches, if they add up to the total. `e2e4: 600`, `e2e4 600` and
//! `e2e4 - 600` are branches; a total is a number alone, or behind words such as `Nodes searched:`. Other lines
//! are passed over: programs like to tell more.

use super::Branches;
use crate::chess::Board;

/// Why lines are not a count.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("its answer has no total")]
    NoTotal,
    #[error("it says that there are {total} sequences, but its moves add up to {sum}")]
    Total { total: u128, sum: u128 },
    #[error("it lists {0} twice")]
    Twice(String),
}

/// The words with which lines with a total begin, in lower case.
const TOTALS: [&str; 5] = [
    "nodes searched",
    "total nodes",
    "total",
    "nodes",
    "leaf nodes",
];

/// Reads the answer to a question about this position.
pub fn read(lines: &[String], board: &Board) -> Result<Branches, AnswerError> {
    let total = lines.iter().rev().find_map(|line| total(line));
    let total = total.ok_or(AnswerError::NoTotal)?;
    let mut branches: Branches = lines.iter().filter_map(|line| branch(line)).collect();
    let nodes = branches.iter().map(|&(_, nodes)| nodes);
    let sum = nodes.fold(0, u128::saturating_add);
    if sum != total {
        return Err(AnswerError::Total { total, sum });
    }
    spell_castling_out(&mut branches, board);
    branches.sort();
    match branches.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(AnswerError::Twice(pair[0].0.clone())),
        None => Ok(branches),
    }
}

/// The total that a line tells.
pub fn total(line: &str) -> Option<u128> {
    let line = line.trim().to_ascii_lowercase();
    if let Some(total) = digits(&line) {
        return Some(total);
    }
    let mut rests = TOTALS.iter().filter_map(|words| line.strip_prefix(words));
    rests.find_map(|rest| digits(rest.trim_start_matches([' ', ':', '=', '\t'])))
}

/// Whether a line tells a first move and its count.
pub fn is_branch(line: &str) -> bool {
    branch(line).is_some()
}

/// A first move and its count, if that is what a line tells.
fn branch(line: &str) -> Option<(String, u128)> {
    let (mv, rest) = line.trim().split_once([' ', ':', '\t'])?;
    let nodes = digits(rest.trim_start_matches([' ', ':', '-', '\t']))?;
    is_move(mv).then(|| (mv.to_ascii_lowercase(), nodes))
}

fn is_move(text: &str) -> bool {
    let is_square =
        |file: u8, rank: u8| (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    match *text.as_bytes() {
        [file, rank, to_file, to_rank] => is_square(file, rank) && is_square(to_file, to_rank),
        [file, rank, to_file, to_rank, role] => {
            is_square(file, rank) && is_square(to_file, to_rank) && role.is_ascii_alphabetic()
        }
        _ => false,
    }
}

/// Digits and nothing else.
fn digits(text: &str) -> Option<u128> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Names castling as king takes rook where it is the king's leap (`e1g1`), as in classical chess: that is a matter
/// of spelling and none of the rules.
fn spell_castling_out(branches: &mut Branches, board: &Board) {
    for index in 0..branches.len() {
        let Ok(mv) = board.parse_uci(&branches[index].0) else {
            continue;
        };
        let name = mv.to_string();
        if branches.iter().all(|(other, _)| *other != name) {
            branches[index].0 = name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn castling() -> Board {
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap()
    }

    #[test]
    fn the_layouts_of_stockfish_and_of_perftree_are_understood() {
        let expected = vec![("e1h1".to_owned(), 5), ("h1h2".to_owned(), 7)];
        for text in [
            "info string x\nh1h2: 7\ne1h1: 5\n\nNodes searched: 12\n",
            "h1h2 7\ne1h1 5\n\n12",
            "h1h2 - 7\ne1g1 - 5\nTotal: 12",
            "H1h2: 8\nh1h2: 7\ne1g1: 5\ntotal nodes 12",
        ] {
            assert_eq!(
                read(&lines(text), &castling()),
                Ok(expected.clone()),
                "{text}"
            );
        }
    }

    #[test]
    fn lines_that_do_not_add_up_are_refused() {
        let refusal = |text: &str| read(&lines(text), &castling()).unwrap_err();
        assert_eq!(refusal("h1h2: 7"), AnswerError::NoTotal);
        assert_eq!(
            refusal("h1h2: 7\n\nNodes searched: 8"),
            AnswerError::Total { total: 8, sum: 7 }
        );
        assert_eq!(
            refusal("h1h2: 7\nh1h2: 1\n8").to_string(),
            "it lists h1h2 twice"
        );
        assert_eq!(refusal("nodes/second: 5"), AnswerError::NoTotal);
    }

    #[test]
    fn nothing_that_a_program_prints_makes_a_panic() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(960);
        let scraps = [
            "e1",
            "g1",
            "h1h2",
            ":",
            " ",
            "-",
            "7",
            "Nodes searched: ",
            "total",
            "\t",
            "é",
            "\u{fffd}",
            "q",
            "340282366920938463463374607431768211455",
            "99999999999999999999999999999999999999999",
        ];
        for _ in 0..20_000 {
            let lines = random.random_range(0..6);
            let line = |_| {
                let words = random.random_range(0..6);
                (0..words)
                    .map(|_| scraps[random.random_range(0..scraps.len())])
                    .collect::<String>()
            };
            let lines: Vec<String> = (0..lines).map(line).collect();
            if let Ok(branches) = read(&lines, &castling()) {
                assert!(branches.is_sorted(), "{lines:?}");
            }
        }
    }

    #[test]
    fn a_castling_that_is_named_in_both_ways_stays_two_moves() {
        let text = "e1g1 1\ne1h1 1\n2";
        assert_eq!(read(&lines(text), &castling()).unwrap().len(), 2);
    }
}
