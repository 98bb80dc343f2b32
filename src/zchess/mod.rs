//! Z-Chess: a chess variant on a board of 77 circles.
//!
//! A [`Board`] is always a legal position. It is parsed from text, generates its legal [`Move`]s and makes them.
//! Colours and roles are those of [`chess`](crate::chess); the board, the moves of the pieces and the notation are
//! defined here.
//!
//! # The board
//!
//! Nine rows, a to i. Rows a, c, e, g and i have nine circles with the odd numbers 1 to 17, rows b, d, f and h
//! eight with the even numbers 2 to 16. A circle touches up to six others: two on its row (number ±2) and four
//! on the rows above and below (number ±1). White starts on row a and plays towards i.
//!
//! # The pieces
//!
//! - The king moves one circle in any of the six directions, the queen any number of circles along a row or a diagonal,
//!   the bishop any number of circles along a diagonal.
//! - The rook moves along its row. Or it moves along a diagonal over empty circles, then turns onto the row that it has
//!   reached and moves along it by at least one circle; it captures at the end of this second leg.
//! - The knight takes two single steps and turns between them, but never by a sharp angle. It jumps over pieces.
//! - The pawn moves one circle diagonally forward, left or right, and captures in the same way. From its start circle
//!   it may move two circles along one diagonal if both are empty. There is no en passant. On the last row it
//!   promotes to a queen, rook, bishop or knight.
//! - Castling is written `0-0-0(L)` towards number 1 and `0-0-0(R)` towards number 17.
//!
//! # Interpretations
//!
//! Where the rules of the game are not explicit, this implementation takes them as follows:
//!
//! - *Castling circles.* The king moves two circles towards the rook, and the rook to the circle that the king crossed:
//!   Ka9-a5 and Ra1-a7, or Ka9-a13 and Ra17-a11, and the same on row i.
//! - *Castling through check.* The king may cross a circle if it could legally move there, with the rook still in its
//!   corner. The king's destination is tested in the position after castling: when the rook has left its corner, an
//!   enemy rook may be able to turn there.
//! - *The double step is straight.* Both of its circles are on one diagonal.
//! - *Start circles.* Every circle of row b is a start circle of White's pawns, and every circle of row h of Black's,
//!   because no pawn can return to them.
//! - *Turns of the knight.* On the board as drawn, with diagonals that cross at right angles, a turn from a row onto
//!   the diagonal ahead, or from one diagonal onto the other, is not sharp; a turn back over the row is. So a knight
//!   also reaches the two circles next to it on its row: Ne5-(f6)-e7.
//! - *Dead positions.* Only two bare kings cannot mate: a single knight or bishop can, with the enemy king in a corner
//!   ([`Board::is_dead`]).
//! - *Draws do not end the tree.* As in perft of chess, only mate and stalemate have no moves; two bare kings play on.
//! - *Legal positions.* A position has one king of each colour, no pawns on rows a and i, and no more promoted pieces
//!   than missing pawns; the side that is not to move is not in check.

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
pub use moves::{Move, Wing};
pub use pack::Packed;
pub use text::TextError;
