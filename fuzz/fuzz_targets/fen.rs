//! Parses any text as a FEN: an error, or a position that round-trips through X-FEN and Shredder-FEN.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ninesixty::chess::Board;
use ninesixty::perft::{Position, naive_perft};

fuzz_target!(|text: &str| {
    let Ok(board) = text.parse::<Board>() else {
        return;
    };
    assert_eq!(board.x_fen().parse(), Ok(board));
    assert_eq!(board.shredder_fen().parse(), Ok(board));
    assert_eq!(board.perft(1), naive_perft(&board, 1));
    for mv in board.legal_moves() {
        assert_eq!(board.parse_san(&board.san(mv)), Ok(mv));
        assert_eq!(board.parse_uci(&mv.to_string()), Ok(mv));
    }
});
