//! The move generator of this crate.

use super::{
    Branches, CountMethod, CountRequest, Counter, CounterError, CounterHost, MoveLine, Profile,
};
use crate::chess::{Board, Move, count};
use crate::perft::{CountError, sum_subtrees};
use crate::run::Cancel;

/// The move generator of this crate. It supports every [`CountMethod`] and can use more than one thread.
pub struct Own;

impl Counter for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn profile(&self, _: &Cancel) -> Result<Profile, CounterError> {
        Ok(Profile {
            identity: concat!("ninesixty ", env!("CARGO_PKG_VERSION")).to_owned(),
            protocol: "calls",
            methods: Some(&[
                CountMethod::EveryMove,
                CountMethod::Bulk,
                CountMethod::TwoPly,
            ]),
            uses_hash: Some(false),
            supports_chess960: true,
            host: CounterHost::ThisProcess,
        })
    }

    fn count(
        &self,
        board: &Board,
        depth: u32,
        request: &CountRequest,
    ) -> Result<u128, CounterError> {
        Ok(count_by_method(board, depth, request)?)
    }

    fn branches(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<Branches, CounterError> {
        let Some(below) = depth.checked_sub(1) else {
            return Ok(Vec::new());
        };
        let board = line.end();
        let branch = |mv: Move| {
            let nodes = count_by_method(&board.play(mv), below, request)?;
            Ok((mv.to_string(), nodes))
        };
        let branches = board.legal_moves().into_iter().map(branch);
        let mut branches = branches.collect::<Result<Branches, CountError>>()?;
        branches.sort();
        Ok(branches)
    }
}

fn count_by_method(board: &Board, depth: u32, request: &CountRequest) -> Result<u128, CountError> {
    let perft = match request.method {
        CountMethod::EveryMove => count::every_move_perft,
        CountMethod::Bulk => count::bulk_perft,
        CountMethod::TwoPly => count::perft,
    };
    let count = |board: &Board, depth| u128::from(perft(board, depth));
    let sum = |a: u128, b| a.checked_add(b).ok_or(CountError::TooLarge);
    sum_subtrees(board, depth, &request.options, &count, &sum)
}
