//! What the evaluation pays for what it sees: every number of it, in one place.
//!
//! All terms are centipawns for the player who has the thing, one number for the opening and one for the
//! ending. They were fitted to positions of games that began with random moves from random starts, each judged by
//! a small search of Stockfish: the scale is Stockfish's, in which 100 is an even chance to win.

/// What something is worth while all pieces are on the board, and when hardly any are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub opening: i32,
    pub ending: i32,
}

const fn pair(opening: i32, ending: i32) -> Pair {
    Pair { opening, ending }
}

/// The openings and the endings of a row of terms.
const fn pairs<const N: usize>(opening: [i32; N], ending: [i32; N]) -> [Pair; N] {
    let mut pairs = [pair(0, 0); N];
    let mut index = 0;
    while index < N {
        pairs[index] = pair(opening[index], ending[index]);
        index += 1;
    }
    pairs
}

/// Worth by square, as seen by the owner: from the first rank to the eighth, and from the side of the board on which
/// the own king is not to the one on which it is.
pub type Squares = [Pair; 64];

/// The terms of the evaluation.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Terms {
    /// Pawn, knight, bishop, rook, queen.
    pub material: [Pair; 5],
    /// Where men stand, by role.
    pub squares: [Squares; 6],
    pub bishop_pair: Pair,
    /// By the number of squares that are neither occupied by an own man nor attacked by an enemy's pawn.
    pub knight_mobility: [Pair; 9],
    pub bishop_mobility: [Pair; 14],
    pub rook_mobility: [Pair; 15],
    pub queen_mobility: [Pair; 28],
    /// A bishop in the corner whose diagonal an own pawn shuts.
    pub corner_bishop_shut: Pair,
    /// Each own pawn on squares of the bishop's colour.
    pub pawn_on_bishops_colour: Pair,
    /// A knight or a bishop on ranks 4 to 6 that a pawn protects and no enemy's pawn can drive away.
    pub outpost: [Pair; 2],
    pub minor_behind_pawn: Pair,
    /// A rook on a file without pawns, and without own ones.
    pub open_file: Pair,
    pub half_open_file: Pair,
    pub doubled_pawn: Pair,
    pub isolated_pawn: Pair,
    pub backward_pawn: Pair,
    /// A pawn beside another one, by rank.
    pub phalanx: [Pair; 8],
    /// A pawn that a pawn protects, by rank.
    pub supported: [Pair; 8],
    /// A pawn that no enemy's pawn can stop, by rank.
    pub passed: [Pair; 8],
    /// More for one whose next square is neither occupied nor attacked.
    pub passed_and_free: [Pair; 8],
    /// More by how far the kings are from the square before it.
    pub passed_from_own_king: [Pair; 8],
    pub passed_from_enemy_king: [Pair; 8],
    /// The rank of the own pawn before the king, by the king's own file and the files beside it; 0 is none.
    pub shelter: [[Pair; 8]; 2],
    /// How far the enemy's pawn is that runs against the king's files; 0 is none.
    pub storm: [[Pair; 8]; 2],
    /// How many men attack the squares around the enemy's king.
    pub king_attackers: [Pair; 6],
    /// Each attacked square around the enemy's king, by the attacker: knight, bishop, rook, queen.
    pub king_ring_hit: [Pair; 4],
    /// Each square from which a check would be safe: knight, bishop, rook, queen.
    pub safe_check: [Pair; 4],
    /// An attack by a pawn, a minor piece or a rook, by what it attacks: pawn, knight, bishop, rook, queen.
    pub threat: [[Pair; 5]; 3],
    /// Each enemy's man that is attacked and not protected.
    pub hanging: Pair,
    /// Each own man that nobody protects: pawn, piece.
    pub unprotected: [Pair; 2],
    /// Each square around the enemy's king on the lines of a bishop, rook or queen, whatever stands between.
    pub aimed_at_king: [Pair; 3],
    /// Each square in the middle that a pawn attacks, and each that pieces attack.
    pub centre_control: [Pair; 2],
    /// Castling still possible later, on the a-side and on the h-side.
    pub castling_right: [Pair; 2],
    /// By the number of men that have to go before it is possible now.
    pub castling_blockers: [Pair; 7],
    /// Each safe square behind the own pawns in the middle of the own half.
    pub space: Pair,
    pub tempo: Pair,
}

/// The terms that the engine plays with.
pub static TERMS: Terms = Terms {
    material: pairs([78, 377, 401, 496, 1102], [88, 344, 362, 628, 1108]),
    squares: [
        pairs(
            [
                0, 0, 0, 0, 0, 0, 0, 0, -9, -6, -1, 3, 12, 24, 29, -1, -20, -16, -15, -10, -4, 5,
                12, -9, -11, -3, 6, 12, 16, 14, 9, 12, 2, 6, 5, 11, 19, 22, 21, 24, 6, 15, 30, 27,
                29, 22, 5, 16, 29, 45, 22, 19, 7, 21, 13, -5, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
            [
                0, 0, 0, 0, 0, 0, 0, 0, 7, 4, 9, 8, 10, 6, -7, -6, 7, 5, 11, 13, 8, 11, 0, -2, 7,
                15, 16, -4, -2, 22, 12, 2, 18, 16, 23, 18, 24, 13, 15, 18, 40, 41, 27, 33, 46, 43,
                45, 29, 43, 69, 24, 41, 39, 23, 65, 30, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
        ),
        pairs(
            [
                -50, -30, -17, -10, -5, -16, -23, -39, -22, -28, -13, 2, 10, -5, -8, -29, -34, -20,
                -5, 5, 6, 7, -4, -12, -18, -3, 6, 12, 15, 25, 17, 8, -11, 0, 10, 21, 23, 21, 12, 8,
                -28, 12, 18, 31, 32, 21, 29, -13, -27, -26, 15, 28, 48, 12, -20, -37, -46, -34,
                -13, -8, -11, -25, -27, -45,
            ],
            [
                -36, -25, -6, 1, 2, -11, -12, -31, -12, 7, -4, -9, -7, -14, -20, -14, -6, 2, 6, 19,
                16, 12, -3, -3, -15, 15, 12, 20, 30, 25, 20, -2, 19, 8, 38, 40, 28, 17, 19, 7, 13,
                1, 24, -1, 4, 14, -3, 13, 5, -8, 0, -5, 4, -7, -15, -2, -20, -12, -5, -9, -9, -13,
                -12, -20,
            ],
        ),
        pairs(
            [
                6, 1, 6, 3, -1, 6, -10, 15, 4, 2, 9, 13, 13, 28, 19, 12, -10, -5, 3, 4, 7, 22, 8,
                4, -25, -7, 3, 3, 12, 10, 8, -7, 6, 3, -8, 3, 6, 12, 0, 6, -6, 18, 9, -10, -6, -5,
                17, 3, -21, 16, -5, 4, 7, -5, 6, -19, -57, -19, -18, -9, -11, -16, -19, -51,
            ],
            [
                -30, -9, 2, 14, 1, -11, -22, -31, -35, -16, -1, 2, 1, -17, -15, -20, 15, 3, 17, 18,
                14, 3, 4, 7, 5, 0, 22, 5, 1, 16, -11, 8, 0, 7, 20, 9, 5, -4, 11, 2, -1, -6, 2, 10,
                13, 20, -9, 5, -6, 12, 9, 16, 15, -10, 9, -3, -13, -7, -3, 25, 19, -2, -4, -7,
            ],
        ),
        pairs(
            [
                4, 12, 19, 29, 23, 17, -4, -23, -37, -13, 10, -15, 12, 10, -12, -46, -10, 8, 9,
                -11, 6, -5, -4, -19, -2, -19, -17, -5, -17, -8, -29, -3, 7, -8, -6, 9, -5, -8, -12,
                17, 0, 5, 24, 25, 6, 30, 8, -2, -14, 1, 13, 36, 32, 18, 20, -24, 4, 22, 13, 5, 15,
                3, 20, 5,
            ],
            [
                -4, -3, -17, -18, -13, -5, -7, -8, 8, -6, -22, -5, -14, -20, 2, -10, -8, -7, -4,
                -8, -10, -11, -12, -23, -11, 12, 12, 6, -1, 14, 16, -5, 13, -2, 18, -9, -1, 9, 8,
                -9, 4, 18, 8, 5, 4, 6, 21, 20, 37, 4, -1, 3, -7, 1, 5, 27, 21, 20, 28, 1, 6, 13, 8,
                13,
            ],
        ),
        pairs(
            [
                -8, 6, 16, 18, 16, 13, -7, -18, -9, 7, 18, 18, 31, 23, 1, -12, -13, -1, -7, -1, 0,
                1, 7, -2, -10, 0, -3, -5, 2, 13, 17, 14, -7, 1, 3, -10, 11, 9, 4, 12, -2, 19, 6, 8,
                27, 4, 40, 15, -39, -17, -25, -15, -7, -11, 4, -24, -27, 6, 17, 0, 0, 0, 11, 1,
            ],
            [
                -35, -15, -28, -7, -21, -42, -49, -34, 4, -37, -20, -17, -42, -16, -42, 0, -10, 0,
                31, 20, 32, 42, 4, 0, -2, 11, 37, 24, 25, 30, 17, 21, -9, 12, 15, 24, 30, 11, 10,
                9, -2, 5, 24, 22, 31, 28, -3, 4, 1, 2, 21, 6, 10, 18, 3, 7, -7, 2, 2, -6, -6, -4,
                3, 3,
            ],
        ),
        pairs(
            [
                17, 37, 6, -3, -8, 2, 25, 13, 1, -3, -35, -21, -22, -12, -3, 10, 5, -7, -60, -27,
                -22, -36, -19, 0, -43, -38, -39, -45, -50, -40, -44, -44, -39, -39, -37, -38, -38,
                -39, -39, -39, -40, -39, -42, -38, -38, -42, -39, -40, -40, -40, -41, -40, -40,
                -40, -40, -40, -40, -39, -40, -42, -42, -40, -39, -40,
            ],
            [
                -19, -14, 8, -13, -27, -10, -32, -48, -26, -8, 11, 16, 19, 16, 14, -30, -20, -12,
                27, 10, 14, 30, 8, -25, 6, -11, 11, 27, 37, 15, -11, 4, -15, -5, 41, 32, 37, 39,
                -1, -9, -4, 15, 3, 23, 23, 3, 16, -4, -14, 6, -11, 10, 10, -7, 6, -14, -24, -16,
                -14, -21, -21, -14, -16, -24,
            ],
        ),
    ],
    bishop_pair: pair(28, 52),
    knight_mobility: pairs(
        [-30, -9, -2, 5, 16, 22, 29, 34, 31],
        [-46, -13, 4, 19, 19, 27, 30, 30, 18],
    ),
    bishop_mobility: pairs(
        [-24, -19, -6, 2, 10, 16, 16, 20, 22, 32, 37, 46, 44, 41],
        [-39, -37, -10, 1, 6, 22, 28, 35, 35, 41, 36, 25, 37, 37],
    ),
    rook_mobility: pairs(
        [-26, -18, -8, -4, -2, 1, 3, 9, 12, 19, 26, 23, 33, 17, 30],
        [-64, -28, -14, 4, 18, 26, 30, 21, 30, 32, 30, 35, 35, 38, 45],
    ),
    queen_mobility: pairs(
        [
            -45, -37, -24, -18, -12, -4, 3, 7, 8, 16, 15, 16, 18, 19, 24, 14, 25, 20, 33, 40, 18,
            22, 32, 29, 30, 32, 34, 36,
        ],
        [
            -59, -79, -69, -38, -23, -16, -16, 0, 21, 8, 36, 31, 54, 51, 32, 36, 49, 40, 49, 50,
            39, 47, 51, 55, 60, 64, 68, 72,
        ],
    ),
    corner_bishop_shut: pair(-49, -44),
    pawn_on_bishops_colour: pair(-3, -4),
    outpost: pairs([28, 24], [22, 6]),
    minor_behind_pawn: pair(9, 0),
    open_file: pair(36, 7),
    half_open_file: pair(17, -7),
    doubled_pawn: pair(-6, -16),
    isolated_pawn: pair(-12, -3),
    backward_pawn: pair(-4, -9),
    phalanx: pairs([0, 2, 8, 13, 24, 44, 20, 21], [0, 7, 7, 5, 40, 35, 15, 14]),
    supported: pairs(
        [0, 4, 19, 11, 20, 47, 47, 28],
        [0, 3, 10, 5, 10, 22, 30, 21],
    ),
    passed: pairs(
        [0, 6, 14, 0, 24, 4, 94, 0],
        [0, -15, -5, 46, 52, 105, 139, 0],
    ),
    passed_and_free: pairs(
        [0, -6, -4, 17, -11, 35, 27, 0],
        [0, -2, 15, -5, 29, 53, 90, 0],
    ),
    passed_from_own_king: pairs(
        [-8, -6, 4, -9, -16, -3, 22, -1],
        [52, 28, 3, -7, -21, -21, -38, -14],
    ),
    passed_from_enemy_king: pairs(
        [-17, -31, 14, 5, 8, 12, -6, -3],
        [-67, -9, -7, 10, 22, 26, 52, 34],
    ),
    shelter: [
        pairs([-22, 24, 19, 6, -7, -5, 3, 0], [5, -3, 0, 9, 7, 10, -28, 0]),
        pairs(
            [-11, 15, 8, 9, 1, 0, -10, 0],
            [5, -10, -4, -5, -14, 15, 16, 0],
        ),
    ],
    storm: [
        pairs(
            [-19, 35, -45, -8, -4, 2, -1, 0],
            [-7, 40, -14, -9, 3, -5, -9, 0],
        ),
        pairs(
            [1, 0, -54, -13, 1, 9, 9, 0],
            [-3, 24, 6, -6, -3, -8, -12, 0],
        ),
    ],
    king_attackers: pairs([12, 1, 2, 41, 82, 122], [-6, -3, 7, 3, -1, 0]),
    king_ring_hit: pairs([12, 14, 9, 7], [-16, -7, -2, 40]),
    safe_check: pairs([51, 19, 55, 23], [-2, 31, 0, 42]),
    threat: [
        pairs([-8, 66, 63, 61, 65], [5, 41, 39, 32, 8]),
        pairs([-3, 20, 27, 54, 50], [16, 42, 32, 38, 23]),
        pairs([-1, 8, 22, -10, 47], [24, 43, 32, 5, 21]),
    ],
    hanging: pair(16, 14),
    unprotected: pairs([-5, -7], [-4, -5]),
    aimed_at_king: pairs([8, 3, 3], [-4, -5, 7]),
    centre_control: pairs([4, 3], [2, 4]),
    castling_right: pairs([2, 6], [4, 1]),
    castling_blockers: pairs(
        [-16, -14, -14, -17, -10, -12, -15],
        [-2, -7, -22, -3, -1, 0, 0],
    ),
    space: pair(6, -8),
    tempo: pair(32, 20),
};
