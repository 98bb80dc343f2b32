//! Parses the `divide` output of other programs: a line per first move, and a total.
//!
//! `e2e4: 600`, `e2e4 600` and `e2e4 - 600` are branches; a total is a number alone on a line, or after words such as
//! `Nodes searched:`. All other lines are ignored. The branches must add up to the total.

use super::Branches;
use crate::chess::Board;
use crate::table::read::parse_digits;

/// Why output is not a valid count.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DivideOutputError {
    #[error(
        "its output has no total, that is, no number alone on its line or after `Nodes searched:`"
    )]
    NoTotal,
    #[error("it reports a total of {total}, but its moves add up to {sum}")]
    WrongTotal { total: u128, sum: u128 },
    #[error("it lists {0} twice")]
    DuplicateMove(String),
}

/// The words before a total, in lower case.
const TOTAL_LABELS: [&str; 5] = [
    "nodes searched",
    "total nodes",
    "total",
    "nodes",
    "leaf nodes",
];

/// Parses the output for this position.
pub fn parse(output: &str, board: &Board) -> Result<Branches, DivideOutputError> {
    let total = output.lines().rev().find_map(total);
    let total = total.ok_or(DivideOutputError::NoTotal)?;
    let mut branches: Branches = output.lines().filter_map(branch).collect();
    let sum = sum(&branches);
    if sum != total {
        // Some programs print everything twice, for example as a list and as a table.
        branches.sort();
        branches.dedup();
        if self::sum(&branches) != total {
            return Err(DivideOutputError::WrongTotal { total, sum });
        }
    }
    normalize_castling(&mut branches, board);
    branches.sort();
    match branches.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(DivideOutputError::DuplicateMove(pair[0].0.clone())),
        None => Ok(branches),
    }
}

fn sum(branches: &Branches) -> u128 {
    let nodes = branches.iter().map(|&(_, nodes)| nodes);
    nodes.fold(0, u128::saturating_add)
}

/// The total on a line, if it is one.
pub fn total(line: &str) -> Option<u128> {
    let line = line.trim().to_ascii_lowercase();
    if let Some(total) = parse_digits(&line) {
        return Some(total);
    }
    let mut values = TOTAL_LABELS
        .iter()
        .filter_map(|label| line.strip_prefix(label));
    values.find_map(|rest| parse_digits(rest.trim_start_matches([' ', ':', '=', '\t'])))
}

/// Whether a line holds a move and its count.
pub fn is_branch(line: &str) -> bool {
    branch(line).is_some()
}

/// The move and its count on a line, if it holds one.
fn branch(line: &str) -> Option<(String, u128)> {
    let (mv, rest) = line.trim().split_once([' ', ':', '\t'])?;
    let nodes = parse_digits(rest.trim_start_matches([' ', ':', '-', '\t']))?;
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

/// Rewrites castling from the king's destination (`e1g1`, as in classical UCI) to king takes rook: that is a difference of
/// notation and not of rules.
fn normalize_castling(branches: &mut Branches, board: &Board) {
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

    fn castling() -> Board {
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap()
    }

    #[test]
    fn the_formats_of_stockfish_and_perftree_are_parsed() {
        let expected = vec![("e1h1".to_owned(), 5), ("h1h2".to_owned(), 7)];
        for text in [
            "info string x\nh1h2: 7\ne1h1: 5\n\nNodes searched: 12\n",
            "h1h2 7\ne1h1 5\n\n12",
            "h1h2 - 7\ne1g1 - 5\nTotal: 12",
            "h1h2: 7\ne1h1: 5\nNodes: 12\nh1h2: 7\ne1h1: 5\nTotal: 12",
            "H1h2: 8\nh1h2: 7\ne1g1: 5\ntotal nodes 12",
        ] {
            assert_eq!(parse(text, &castling()), Ok(expected.clone()), "{text}");
        }
    }

    #[test]
    fn output_that_does_not_add_up_is_refused() {
        let refusal = |text: &str| parse(text, &castling()).unwrap_err();
        assert_eq!(refusal("h1h2: 7"), DivideOutputError::NoTotal);
        assert_eq!(
            refusal("h1h2: 7\n\nNodes searched: 8"),
            DivideOutputError::WrongTotal { total: 8, sum: 7 }
        );
        assert_eq!(
            refusal("h1h2: 7\nh1h2: 1\n8").to_string(),
            "it lists h1h2 twice"
        );
        assert_eq!(refusal("nodes/second: 5"), DivideOutputError::NoTotal);
    }

    #[test]
    fn no_output_causes_a_panic() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(960);
        let tokens = [
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
                    .map(|_| tokens[random.random_range(0..tokens.len())])
                    .collect::<String>()
            };
            let output = (0..lines).map(line).collect::<Vec<_>>().join("\n");
            if let Ok(branches) = parse(&output, &castling()) {
                assert!(branches.is_sorted(), "{output:?}");
            }
        }
    }

    #[test]
    fn a_king_step_to_the_square_that_castling_leads_to_stays_a_step() {
        let board: Board = "4k3/8/8/8/8/8/8/5K1R w H - 0 1".parse().unwrap();
        let names = |text: &str| -> Vec<String> {
            let branches = parse(text, &board).unwrap();
            branches.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names("f1g1 1\n1"), ["f1g1"]);
        assert_eq!(names("f1g1 1\nf1h1 1\n2"), ["f1g1", "f1h1"]);
    }

    #[test]
    fn castling_listed_in_both_notations_stays_two_moves() {
        let text = "e1g1 1\ne1h1 1\n2";
        assert_eq!(parse(text, &castling()).unwrap().len(), 2);
    }
}
