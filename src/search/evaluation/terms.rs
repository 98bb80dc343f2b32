//! What the evaluation pays for what it sees: every number of it, in one place.
//!
//! All terms are centipawns for the player who has the thing, one number for the opening and one for the
//! ending. They were fitted, by gradient descent on the expected score, to what Stockfish 15.1's evaluation says of
//! 240,000 quiet positions: ends of the best lines in games of this engine against itself, which began with any of the
//! 960 starts, or two of them, and moves that were not always the best. The scale is Stockfish's, in which 100 is an
//! even chance to win.

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
    /// Where pieces stand, by role.
    pub squares: [Squares; 6],
    pub bishop_pair: Pair,
    /// By the number of squares that are neither occupied by an own piece nor attacked by an enemy's pawn.
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
    /// How many pieces attack the squares around the enemy's king.
    pub king_attackers: [Pair; 6],
    /// Each attacked square around the enemy's king, by the attacker: knight, bishop, rook, queen.
    pub king_ring_hit: [Pair; 4],
    /// Each square from which a check would be safe: knight, bishop, rook, queen.
    pub safe_check: [Pair; 4],
    /// An attack by a pawn, a minor piece or a rook, by what it attacks: pawn, knight, bishop, rook, queen.
    pub threat: [[Pair; 5]; 3],
    /// Each enemy's piece that is attacked and not protected.
    pub hanging: Pair,
    /// Each own piece that nobody protects: pawn, piece.
    pub unprotected: [Pair; 2],
    /// Each square around the enemy's king on the lines of a bishop, rook or queen, whatever stands between.
    pub aimed_at_king: [Pair; 3],
    /// Castling still possible later, on the a-side and on the h-side.
    pub castling_right: [Pair; 2],
    /// By the number of pieces that have to go before it is possible now.
    pub castling_blockers: [Pair; 7],
    pub tempo: Pair,
}

/// The terms that the engine plays with.
pub static TERMS: Terms = Terms {
    material: pairs([83, 377, 400, 503, 1119], [90, 358, 377, 652, 1150]),
    squares: [
        pairs(
            [
                0, 0, 0, 0, 0, 0, 0, 0, -12, -5, -1, 2, 13, 27, 32, -3, -23, -14, -12, -9, 1, 9,
                17, -8, -12, -6, 5, 12, 17, 15, 14, 10, -1, 0, 5, 13, 19, 18, 23, 23, -4, 9, 23,
                17, 23, 29, 22, 17, 32, 42, 17, 16, 1, 14, 19, 13, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
            [
                0, 0, 0, 0, 0, 0, 0, 0, 15, 5, 13, 7, 10, 10, -10, 2, 13, 5, 9, 7, 5, 7, -12, 4,
                13, 8, 15, -2, -1, 13, 9, 4, 25, 17, 16, 11, 18, 19, 18, 16, 43, 39, 36, 35, 45,
                43, 46, 34, 47, 66, 27, 40, 35, 21, 65, 25, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
        ),
        pairs(
            [
                -49, -30, -18, -10, -3, -15, -20, -35, -23, -28, -13, 3, 8, 0, -4, -23, -35, -20,
                -5, 3, 6, 6, -5, -18, -19, 1, 5, 11, 19, 24, 22, 12, -10, -1, 9, 19, 23, 23, 15,
                11, -26, 7, 19, 26, 27, 39, 41, -19, -37, -32, 5, 29, 49, 15, -14, -31, -58, -41,
                -19, -7, -15, -28, -29, -47,
            ],
            [
                -33, -21, -9, -1, -3, -2, -15, -28, -16, 10, -7, 0, -4, -17, -19, -10, -9, -6, 8,
                19, 22, 7, -7, 5, -14, 11, 15, 24, 28, 26, 26, -1, 20, 12, 32, 43, 37, 27, 16, 5,
                8, -1, 22, 10, 2, 5, -6, 6, 2, -3, 0, -7, 3, -9, -11, -4, -23, -14, -5, -4, -12,
                -14, -15, -20,
            ],
        ),
        pairs(
            [
                7, 4, 6, 6, 4, 5, -5, 16, -4, 5, 12, 12, 14, 27, 19, 13, -11, -1, 6, 6, 11, 20, 12,
                8, -14, -10, 2, 0, 14, 16, 8, -2, 10, -3, -10, -3, 6, 5, 0, 10, -3, 7, 16, -8, -8,
                6, 14, 3, -17, 4, -7, -8, 1, -3, 2, -14, -50, -26, -22, -15, -18, -19, -19, -51,
            ],
            [
                -26, -10, 4, 11, 6, -4, -24, -32, -26, -19, -8, 0, 5, -4, -17, -25, 12, 4, 10, 18,
                15, 5, 4, 3, 6, 8, 20, 3, -1, 15, -13, 7, 0, 8, 17, 13, 5, 1, 10, 2, 1, -6, 2, 15,
                15, 19, -3, 8, -1, 14, 13, 16, 4, -8, 2, -2, -13, -5, -4, 20, 13, -3, -5, -7,
            ],
        ),
        pairs(
            [
                0, 11, 19, 26, 24, 14, -4, -22, -36, -9, 11, -7, 11, 8, -10, -39, -13, 1, -8, -8,
                2, -5, 1, -17, -2, -14, -22, -14, -15, -18, -27, -9, 12, 6, -15, 4, -2, -6, -9, 10,
                -4, 7, 25, 25, 9, 36, 10, -8, -11, 7, 5, 28, 27, 18, 8, -18, 11, 28, 20, 7, 18, 6,
                28, 18,
            ],
            [
                -4, -6, -19, -20, -17, -1, -7, -12, 11, -6, -22, -7, -21, -19, -12, -21, -5, -8,
                -2, -14, -19, -12, -15, -29, -8, 10, 14, 5, -1, 14, 17, -7, 8, -3, 15, -10, 1, 12,
                10, -9, 8, 13, 5, 2, 2, -2, 20, 20, 40, 17, 7, 9, 2, 6, 10, 33, 28, 26, 39, 8, 8,
                16, 17, 16,
            ],
        ),
        pairs(
            [
                -4, 8, 19, 22, 19, 11, -4, -13, -2, 6, 17, 21, 30, 24, 0, -9, -7, 1, -3, 4, 2, 3,
                8, 0, -7, -2, -5, -5, -4, 13, 15, 5, -8, -1, -4, -13, 6, 7, 9, 9, -2, 9, 6, 10, 21,
                14, 37, 14, -38, -17, -30, -18, -16, -16, 7, -16, -24, 1, 20, 3, 3, -4, 3, 14,
            ],
            [
                -37, -27, -36, -16, -23, -53, -73, -52, -5, -41, -22, -14, -40, -32, -45, 1, -11,
                0, 32, 22, 33, 46, 8, -1, 1, 16, 42, 37, 37, 34, 21, 20, -5, 19, 23, 34, 37, 18,
                24, 11, 0, 9, 26, 23, 34, 32, -3, -2, 5, 1, 27, 12, 11, 19, 7, 13, -4, 3, 3, -9,
                -7, -8, 3, 7,
            ],
        ),
        pairs(
            [
                17, 37, 6, -3, -6, 2, 28, 13, 1, -3, -35, -21, -21, -14, 5, 18, 5, -7, -60, -27,
                -27, -35, -21, -7, -43, -38, -39, -45, -55, -41, -47, -46, -39, -39, -37, -38, -38,
                -40, -37, -39, -40, -39, -42, -38, -38, -42, -39, -42, -40, -40, -41, -40, -40,
                -39, -40, -41, -40, -39, -40, -42, -42, -40, -39, -40,
            ],
            [
                -19, -14, 8, -13, -27, -15, -36, -58, -26, -8, 11, 16, 22, 16, 1, -23, -20, -12,
                27, 10, 20, 26, 12, -27, 6, -11, 11, 27, 37, 20, -11, 0, -15, -5, 41, 32, 41, 39,
                7, -8, -4, 15, 3, 23, 24, 3, 17, -4, -14, 6, -11, 10, 10, -5, 6, -14, -24, -16,
                -14, -21, -21, -14, -16, -24,
            ],
        ),
    ],
    bishop_pair: pair(31, 54),
    knight_mobility: pairs(
        [-29, -10, -1, 5, 16, 21, 28, 34, 36],
        [-50, -17, 3, 20, 24, 30, 35, 35, 22],
    ),
    bishop_mobility: pairs(
        [-26, -19, -5, 3, 10, 16, 17, 19, 23, 28, 32, 48, 44, 43],
        [-45, -41, -11, 2, 12, 23, 29, 38, 37, 47, 37, 29, 38, 38],
    ),
    rook_mobility: pairs(
        [-28, -19, -8, -4, -2, 2, 7, 10, 12, 18, 25, 25, 30, 25, 32],
        [-75, -31, -12, 3, 19, 25, 26, 27, 34, 37, 34, 41, 42, 42, 50],
    ),
    queen_mobility: pairs(
        [
            -47, -35, -24, -19, -12, -5, 3, 7, 8, 14, 14, 18, 17, 18, 24, 20, 23, 27, 37, 44, 22,
            25, 34, 28, 30, 32, 34, 36,
        ],
        [
            -90, -93, -78, -41, -25, -16, -6, 5, 28, 20, 37, 41, 61, 60, 43, 51, 55, 45, 48, 52,
            40, 47, 52, 55, 60, 64, 68, 72,
        ],
    ),
    corner_bishop_shut: pair(-45, -41),
    pawn_on_bishops_colour: pair(-4, -4),
    outpost: pairs([27, 28], [13, 2]),
    minor_behind_pawn: pair(9, 2),
    open_file: pair(33, 9),
    half_open_file: pair(17, -1),
    doubled_pawn: pair(-9, -16),
    isolated_pawn: pair(-11, -5),
    backward_pawn: pair(-3, -12),
    phalanx: pairs([0, 1, 8, 13, 25, 49, 20, 21], [0, 4, 7, 6, 40, 40, 15, 14]),
    supported: pairs([0, 4, 17, 10, 21, 43, 53, 28], [0, 3, 9, 8, 9, 37, 36, 21]),
    passed: pairs(
        [0, 7, 4, 3, 13, 5, 96, 0],
        [0, -14, -5, 43, 60, 102, 131, 0],
    ),
    passed_and_free: pairs([0, 5, 2, 19, -5, 33, 31, 0], [0, -4, 10, -3, 36, 66, 97, 0]),
    passed_from_own_king: pairs(
        [-14, -9, -1, -14, -18, 0, 22, 1],
        [44, 27, 6, -1, -16, -21, -41, -21],
    ),
    passed_from_enemy_king: pairs(
        [-21, -23, 11, 7, 5, 6, -12, -6],
        [-72, -4, -9, 6, 23, 28, 46, 37],
    ),
    shelter: [
        pairs([-25, 23, 19, 5, -4, -2, 4, 0], [9, -4, 0, 8, 3, 10, -27, 0]),
        pairs([-9, 13, 7, 7, 3, 7, -7, 0], [6, -7, 0, -2, -12, 4, 15, 0]),
    ],
    storm: [
        pairs(
            [-19, 33, -39, -7, -5, 2, -3, 0],
            [-6, 42, -20, -5, 0, -4, -7, 0],
        ),
        pairs(
            [1, 1, -48, -14, 0, 9, 7, 0],
            [-7, 26, 5, -4, -3, -10, -9, 0],
        ),
    ],
    king_attackers: pairs([14, 0, 4, 37, 83, 122], [-1, -5, 0, 5, 0, 0]),
    king_ring_hit: pairs([12, 16, 12, 11], [-8, 1, -2, 31]),
    safe_check: pairs([48, 17, 52, 22], [1, 34, 3, 49]),
    threat: [
        pairs([-9, 63, 64, 66, 62], [5, 46, 40, 37, 9]),
        pairs([-3, 21, 27, 51, 50], [12, 47, 29, 41, 29]),
        pairs([-1, 7, 16, -8, 48], [21, 47, 36, 6, 25]),
    ],
    hanging: pair(15, 16),
    unprotected: pairs([-6, -7], [-6, -4]),
    aimed_at_king: pairs([8, 3, 3], [-3, -6, 6]),
    castling_right: pairs([3, 7], [3, 7]),
    castling_blockers: pairs(
        [-17, -18, -15, -15, -11, -11, -15],
        [-8, -7, -20, -1, -1, 0, 0],
    ),
    tempo: pair(32, 21),
};
