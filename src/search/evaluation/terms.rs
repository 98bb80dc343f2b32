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
    material: pairs([74, 354, 360, 468, 1038], [113, 332, 359, 569, 1040]),
    squares: [
        pairs(
            [
                0, 0, 0, 0, 0, 0, 0, 0, -10, -4, 3, -1, -1, 3, -4, -10, -12, 0, -4, 2, 2, -4, 0,
                -12, 5, -5, 19, 21, 21, 19, -5, 5, 14, 9, 25, 21, 21, 25, 9, 14, 26, -7, 14, 42,
                42, 14, -7, 26, 8, 33, 25, 9, 9, 25, 33, 8, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
            [
                0, 0, 0, 0, 0, 0, 0, 0, -13, 16, 16, -1, -1, 16, 16, -13, -9, 16, 16, 8, 8, 16, 16,
                -9, -6, 34, 12, 1, 1, 12, 34, -6, 21, 23, 6, 39, 39, 6, 23, 21, 29, 37, 33, 39, 39,
                33, 37, 29, 32, 72, 24, 37, 37, 24, 72, 32, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
        ),
        pairs(
            [
                -58, -40, -30, -19, -19, -30, -40, -58, -45, -23, -7, 11, 11, -7, -23, -45, -19,
                -12, 1, 0, 0, 1, -12, -19, 3, 12, 27, 19, 19, 27, 12, 3, -15, 4, 19, 10, 10, 19, 4,
                -15, -11, 29, 4, 35, 35, 4, 29, -11, -38, 2, 24, 34, 34, 24, 2, -38, -33, -25, -14,
                -10, -10, -14, -25, -33,
            ],
            [
                -23, -15, -5, -14, -14, -5, -15, -23, -15, -5, -18, -9, -9, -18, -5, -15, -7, 5,
                20, 30, 30, 20, 5, -7, -5, 8, 4, 28, 28, 4, 8, -5, 25, 16, 9, 23, 23, 9, 16, 25,
                19, 4, 18, 0, 0, 18, 4, 19, 1, -12, -4, -1, -1, -4, -12, 1, -19, -11, -8, -10, -10,
                -8, -11, -19,
            ],
        ),
        pairs(
            [
                -1, -10, -6, -1, -1, -6, -10, -1, 2, 18, 18, 11, 11, 18, 18, 2, -9, 7, 6, 6, 6, 6,
                7, -9, -34, 7, 3, 5, 5, 3, 7, -34, 1, 1, 5, -24, -24, 5, 1, 1, 18, 33, -4, -11,
                -11, -4, 33, 18, 0, 13, -3, 16, 16, -3, 13, 0, -62, -16, -15, -3, -3, -15, -16,
                -62,
            ],
            [
                -33, -1, 1, 1, 1, 1, -1, -33, -30, -9, -18, 3, 3, -18, -9, -30, 6, -2, 17, 10, 10,
                17, -2, 6, 0, -12, 14, -5, -5, 14, -12, 0, 14, 12, 3, 3, 3, 3, 12, 14, -4, 0, 11,
                9, 9, 11, 0, -4, -3, 12, 1, 28, 28, 1, 12, -3, -12, -5, -1, 27, 27, -1, -5, -12,
            ],
        ),
        pairs(
            [
                -14, 9, 22, 36, 36, 22, 9, -14, -60, -6, 31, -2, -2, 31, -6, -60, -13, 2, 5, -10,
                -10, 5, 2, -13, 0, -31, -11, -22, -22, -11, -31, 0, 8, -19, -4, -5, -5, -4, -19, 8,
                -4, 3, 25, 9, 9, 25, 3, -4, 13, 17, 10, 32, 32, 10, 17, 13, -2, 13, 4, 5, 5, 4, 13,
                -2,
            ],
            [
                7, -6, -23, -19, -19, -23, -6, 7, -10, 3, -28, -6, -6, -28, 3, -10, -13, -3, 8, 2,
                2, 8, -3, -13, -8, 18, 10, 2, 2, 10, 18, -8, 8, 0, 12, -4, -4, 12, 0, 8, 6, 20, 14,
                7, 7, 14, 20, 6, 14, -9, 1, -10, -10, 1, -9, 14, 14, 8, 13, -2, -2, 13, 8, 14,
            ],
        ),
        pairs(
            [
                -17, 5, 22, 24, 24, 22, 5, -17, -4, 8, 20, 28, 28, 20, 8, -4, -9, -2, 9, 4, 4, 9,
                -2, -9, -12, 15, 9, 8, 8, 9, 15, -12, 0, 1, 2, -10, -10, 2, 1, 0, -2, 16, -15, -5,
                -5, -15, 16, -2, -21, -19, -14, 8, 8, -14, -19, -21, -14, 3, -3, 1, 1, -3, 3, -14,
            ],
            [
                -17, -13, -20, 3, 3, -20, -13, -17, 16, -31, 4, -23, -23, 4, -31, 16, -17, 2, 17,
                15, 15, 17, 2, -17, 3, 3, 27, 8, 8, 27, 3, 3, -8, 3, 6, 13, 13, 6, 3, -8, 3, -4,
                19, 18, 18, 19, -4, 3, 0, 2, 12, 11, 11, 12, 2, 0, -4, -1, -4, -1, -1, -4, -1, -4,
            ],
        ),
        pairs(
            [
                17, 37, 6, -3, -3, 6, 37, 17, 1, -3, -35, -21, -21, -35, -3, 1, 5, -7, -60, -27,
                -27, -60, -7, 5, -43, -38, -39, -45, -45, -39, -38, -43, -39, -39, -37, -38, -38,
                -37, -39, -39, -40, -39, -42, -38, -38, -42, -39, -40, -40, -40, -41, -40, -40,
                -41, -40, -40, -40, -39, -40, -42, -42, -40, -39, -40,
            ],
            [
                -19, -14, 8, -13, -13, 8, -14, -19, -26, -8, 11, 16, 16, 11, -8, -26, -20, -12, 27,
                10, 10, 27, -12, -20, 6, -11, 11, 27, 27, 11, -11, 6, -15, -5, 41, 32, 32, 41, -5,
                -15, -4, 15, 3, 23, 23, 3, 15, -4, -14, 6, -11, 10, 10, -11, 6, -14, -24, -16, -14,
                -21, -21, -14, -16, -24,
            ],
        ),
    ],
    bishop_pair: pair(49, 56),
    knight_mobility: pairs(
        [-23, -6, 2, 2, 10, 13, 20, 26, 26],
        [-16, -1, 7, 36, 9, 12, 26, 6, -2],
    ),
    bishop_mobility: pairs(
        [-27, -24, -9, -2, 5, 9, 8, 11, 26, 27, 42, 44, 37, 42],
        [-35, -12, -5, 13, 12, 14, 20, 30, 17, 37, 40, 11, 34, 38],
    ),
    rook_mobility: pairs(
        [-25, -22, -6, -2, -5, 3, 0, 1, 4, 14, 29, 26, 17, 27, 25],
        [-32, -16, -30, -6, 13, 9, 13, 8, 31, 24, 19, 17, 40, 41, 48],
    ),
    queen_mobility: pairs(
        [
            -29, -23, -15, -9, -9, 0, 11, 15, 15, 14, 9, 8, 12, 15, 6, -2, 5, 6, 14, 23, 5, 23, 30,
            28, 30, 32, 34, 36,
        ],
        [
            -36, -42, -31, -16, -23, -19, -26, -7, 10, -10, 6, 16, 35, 33, 26, 22, 33, 34, 45, 44,
            35, 48, 50, 55, 60, 64, 68, 72,
        ],
    ),
    corner_bishop_shut: pair(-24, -22),
    pawn_on_bishops_colour: pair(1, -7),
    outpost: pairs([23, 13], [34, 5]),
    minor_behind_pawn: pair(8, 2),
    open_file: pair(38, -5),
    half_open_file: pair(29, -13),
    doubled_pawn: pair(-9, -38),
    isolated_pawn: pair(-14, -8),
    backward_pawn: pair(2, -1),
    phalanx: pairs([0, 4, 5, 9, 26, 23, 20, 21], [0, 6, 5, 4, 53, 22, 15, 14]),
    supported: pairs([0, 4, 20, 9, 29, 44, 41, 28], [0, 3, -2, 3, -6, -2, 27, 21]),
    passed: pairs(
        [0, 38, 17, -2, 2, -9, 91, 0],
        [0, -9, -7, 42, 57, 106, 135, 0],
    ),
    passed_and_free: pairs(
        [0, -28, -20, 12, -3, 39, 23, 0],
        [0, -11, -1, -3, 31, 47, 80, 0],
    ),
    passed_from_own_king: pairs(
        [-1, -7, -5, -15, -7, 2, 20, -5],
        [54, 34, 14, -6, -22, -27, -43, -22],
    ),
    passed_from_enemy_king: pairs(
        [8, -15, 16, -3, 2, -4, -19, -5],
        [-46, -2, -11, 15, 24, 30, 26, 26],
    ),
    shelter: [
        pairs(
            [-24, 30, 15, 6, -8, -3, 1, 0],
            [9, -5, 18, -8, 3, 14, -31, 0],
        ),
        pairs([-20, 20, 6, 8, -4, 8, -4, 0], [9, 1, 2, -8, -13, -4, 14, 0]),
    ],
    storm: [
        pairs(
            [-3, 16, -28, -19, -8, 2, -3, 0],
            [-21, 27, 13, -11, -9, 11, -11, 0],
        ),
        pairs(
            [10, 8, -46, -19, -4, 5, 6, 0],
            [-15, 31, 10, -2, -10, -3, -12, 0],
        ),
    ],
    king_attackers: pairs([14, 3, 1, 47, 73, 120], [-7, -4, 13, 1, -3, 0]),
    king_ring_hit: pairs([17, 15, 3, 11], [-15, -15, -2, 27]),
    safe_check: pairs([55, 12, 36, 19], [-5, 20, 9, 11]),
    threat: [
        pairs([-3, 61, 52, 62, 46], [3, 25, 31, 34, 9]),
        pairs([-6, 16, 15, 56, 41], [25, 43, 17, 12, 11]),
        pairs([-3, 10, 17, -11, 44], [29, 34, 33, 5, 20]),
    ],
    hanging: pair(21, 32),
    unprotected: pairs([-5, -5], [-5, -5]),
    aimed_at_king: pairs([2, 2, 2], [0, 0, 0]),
    centre_control: pairs([3, 2], [0, 0]),
    castling_right: pairs([-6, 7], [9, 2]),
    castling_blockers: pairs([5, -1, -7, 1, 2, -12, -15], [-2, 0, 0, 0, 0, 0, 0]),
    space: pair(4, -10),
    tempo: pair(35, 8),
};
