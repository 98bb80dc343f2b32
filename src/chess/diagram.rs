//! Boards as text diagrams.

use super::{Board, Color, Role, Square};

impl Board {
    /// The board as a diagram with figurines, White at the bottom.
    pub fn diagram(&self) -> String {
        let mut diagram = String::new();
        for rank in (0..8).rev() {
            let squares: Vec<String> = (0..8)
                .map(|file| self.piece_at(Square::at(file, rank)))
                .map(|piece| piece.map_or('·', figurine).to_string())
                .collect();
            diagram += &format!("  {} {}\n", rank + 1, squares.join(" "));
        }
        diagram + "    a b c d e f g h\n"
    }
}

/// The Unicode symbol of a piece.
pub fn figurine((color, role): (Color, Role)) -> char {
    let figurines = match color {
        Color::White => ['♙', '♘', '♗', '♖', '♕', '♔'],
        Color::Black => ['♟', '♞', '♝', '♜', '♛', '♚'],
    };
    figurines[role as usize]
}
