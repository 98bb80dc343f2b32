//! Z-Chess: chess on 77 circles.
//!
//! A position's text walks in and becomes a [`Board`], which is always a legal position; legal moves and the
//! boards after them walk out. Colours and the six kinds of pieces are those of [`chess`](crate::chess); the
//! board, how the pieces move on it, and the notation are this room's own.
//!
//! # The board
//!
//! Nine rows, a to i. Rows a, c, e, g and i have nine circles with the odd numbers 1 to 17, rows b, d, f and h
//! eight with the even numbers 2 to 16. A circle touches up to six others: two on its row (number ±2) and four
//! on the rows above and below (number ±1). White starts on row a and plays towards i.
//!
//! # The pieces
//!
//! - The king goes one circle in any of the six directions, the queen any number along a row or a diagonal,
//!   the bishop any number along a diagonal.
//! - The rook goes along its row; or along a diagonal over empty circles, then turns onto the row that it has
//!   reached and goes on along it by at least one circle. It captures at the end of the second leg.
//! - The knight takes two single steps and turns between them, though never by a sharp angle. It jumps.
//! - The pawn goes one circle diagonally forward, left or right, and captures in the same way. From its start
//!   circle it may go two along one diagonal if both are empty. There is no en passant. On the last row it
//!   becomes a queen, rook, bishop or knight.
//! - Castling is written `0-0-0(L)` towards number 1 and `0-0-0(R)` towards number 17.
//!
//! # Readings
//!
//! Where the rules of the game leave something open, this is how it is read here:
//!
//! - *Castling squares.* The king goes two circles towards the rook, and the rook to the circle that the king
//!   crossed: Ka9-a5 and Ra1-a7, or Ka9-a13 and Ra17-a11, and the same on row i.
//! - *Castling through check.* The king crosses no attacked circle if it could go there as a move of its own,
//!   the rook being still at home. What it reaches is judged by the position after castling: a rook that has
//!   left its corner may have opened the corner to an enemy rook's turn.
//! - *The double step does not bend.* Both of its circles lie on one diagonal.
//! - *Start circles.* Every circle of row b is a start circle of White's pawns, and of row h of Black's, as no
//!   pawn comes back to them.
//! - *Turns of the knight.* Seen on the board as drawn, with diagonals that cross at right angles, a turn from
//!   a row into the diagonal beyond, or from one diagonal into the other, is not sharp; back over the row it
//!   is. So a knight also reaches the two circles beside it: Ne5-(f6)-e7.
//! - *Too little material to mate.* Only two bare kings are too little: a mate by a single knight or bishop
//!   exists, in a corner ([`Board::is_dead`]).
//! - *Draws do not end the tree.* As in perft of chess, only mate and stalemate have no moves; two bare kings
//!   play on.
//! - *Positions that can be.* A position holds one king of each colour, no pawns on rows a and i, and no more
//!   pieces than pawns can have become; the player who has just moved is not in check.

mod board;
mod circle;
mod geometry;
mod moves;
mod notation;
mod pack;
mod play;
mod position;
mod safety;
mod text;

pub use board::{Board, SetupError};
pub use circle::{Circle, CircleError, Circles};
pub use moves::{Move, Side};
pub use pack::Packed;
pub use text::TextError;
