//! The weights of the hand-crafted evaluation, all in one place.
//!
//! All weights are centipawns for the side that has the feature, one for the middlegame and one for the endgame. They
//! were tuned by gradient descent on the expected score, towards Stockfish 15.1's evaluation of 240,000 quiet
//! positions: the ends of principal variations in self-play games from single and double Chess960 starts, with some
//! inferior moves. The scale is Stockfish's, where 100 is an even chance to win.

/// A middlegame and an endgame value. The evaluation interpolates between them by the game phase (tapered evaluation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaperedScore {
    /// The middlegame value.
    pub mg: i32,
    /// The endgame value.
    pub eg: i32,
}

const fn s(mg: i32, eg: i32) -> TaperedScore {
    TaperedScore { mg, eg }
}

/// An array of scores from its middlegame and its endgame values.
const fn array<const N: usize>(mg: [i32; N], eg: [i32; N]) -> [TaperedScore; N] {
    let mut scores = [s(0, 0); N];
    let mut index = 0;
    while index < N {
        scores[index] = s(mg[index], eg[index]);
        index += 1;
    }
    scores
}

/// Values by square from the owner's point of view: rank 1 first, and mirrored so that the own king is on the second
/// half of each rank.
pub type PieceSquareTable = [TaperedScore; 64];

/// The weights of the evaluation terms.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Terms {
    /// Pawn, knight, bishop, rook, queen.
    pub material: [TaperedScore; 5],
    /// Piece-square tables by role.
    pub psqt: [PieceSquareTable; 6],
    /// Two bishops.
    pub bishop_pair: TaperedScore,
    /// By the number of attacked squares that are neither occupied by an own piece nor attacked by an enemy pawn.
    pub knight_mobility: [TaperedScore; 9],
    /// The same for bishops.
    pub bishop_mobility: [TaperedScore; 14],
    /// The same for rooks.
    pub rook_mobility: [TaperedScore; 15],
    /// The same for queens.
    pub queen_mobility: [TaperedScore; 28],
    /// A bishop in a corner whose diagonal is blocked by an own pawn next to it.
    pub cornered_bishop: TaperedScore,
    /// Each own pawn on squares of the bishop's colour.
    pub bishop_pawn: TaperedScore,
    /// A knight or a bishop on an outpost: ranks 4 to 6, protected by a pawn, never attackable by an enemy pawn.
    pub outpost: [TaperedScore; 2],
    /// A knight or a bishop directly behind a pawn.
    pub minor_behind_pawn: TaperedScore,
    /// A rook on a file without pawns, and on one without own pawns.
    pub rook_on_open_file: TaperedScore,
    /// A rook on a file without own pawns.
    pub rook_on_half_open_file: TaperedScore,
    /// A pawn in front of another own pawn on the same file.
    pub doubled_pawn: TaperedScore,
    /// A pawn without own pawns on the adjacent files.
    pub isolated_pawn: TaperedScore,
    /// A pawn that no own pawn can protect and that an enemy pawn keeps from advancing.
    pub backward_pawn: TaperedScore,
    /// A pawn next to another one, by rank.
    pub phalanx: [TaperedScore; 8],
    /// A pawn that a pawn protects, by rank.
    pub supported_pawn: [TaperedScore; 8],
    /// By rank.
    pub passed_pawn: [TaperedScore; 8],
    /// In addition, for a passed pawn whose next square is neither occupied nor attacked; by rank.
    pub free_passed_pawn: [TaperedScore; 8],
    /// In addition, by the distance of the kings from the square in front of it.
    pub passed_pawn_own_king: [TaperedScore; 8],
    /// The same by the distance of the enemy king.
    pub passed_pawn_enemy_king: [TaperedScore; 8],
    /// By the rank of the nearest own pawn in front of the king, on the king's file and on adjacent files; 0 is none.
    pub pawn_shelter: [[TaperedScore; 8]; 2],
    /// The same for the nearest enemy pawn.
    pub pawn_storm: [[TaperedScore; 8]; 2],
    /// By the number of pieces that attack the enemy's king ring.
    pub king_ring_attackers: [TaperedScore; 6],
    /// Each attack on a square of the enemy's king ring, by attacker: knight, bishop, rook, queen.
    pub king_ring_attack: [TaperedScore; 4],
    /// Each square from which a check would be safe: knight, bishop, rook, queen.
    pub safe_check: [TaperedScore; 4],
    /// An attack by a pawn, a minor piece or a rook, by victim: pawn, knight, bishop, rook, queen.
    pub threat: [[TaperedScore; 5]; 3],
    /// Each enemy piece that is attacked and not protected.
    pub hanging_piece: TaperedScore,
    /// Each own unprotected piece: pawn, other piece.
    pub unprotected: [TaperedScore; 2],
    /// Each square of the enemy's king ring on the lines of a bishop, rook or queen, whatever stands between.
    pub king_ring_xray: [TaperedScore; 3],
    /// The right to castle on the a-side and on the h-side.
    pub castling_right: [TaperedScore; 2],
    /// By the number of pieces in the way of castling.
    pub castling_blockers: [TaperedScore; 7],
    /// The right to move.
    pub tempo: TaperedScore,
}

/// The weights that the engine uses.
pub static TERMS: Terms = Terms {
    material: array([83, 377, 400, 503, 1119], [90, 358, 377, 652, 1150]),
    psqt: [
        array(
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
        array(
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
        array(
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
        array(
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
        array(
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
        array(
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
    bishop_pair: s(31, 54),
    knight_mobility: array(
        [-29, -10, -1, 5, 16, 21, 28, 34, 36],
        [-50, -17, 3, 20, 24, 30, 35, 35, 22],
    ),
    bishop_mobility: array(
        [-26, -19, -5, 3, 10, 16, 17, 19, 23, 28, 32, 48, 44, 43],
        [-45, -41, -11, 2, 12, 23, 29, 38, 37, 47, 37, 29, 38, 38],
    ),
    rook_mobility: array(
        [-28, -19, -8, -4, -2, 2, 7, 10, 12, 18, 25, 25, 30, 25, 32],
        [-75, -31, -12, 3, 19, 25, 26, 27, 34, 37, 34, 41, 42, 42, 50],
    ),
    queen_mobility: array(
        [
            -47, -35, -24, -19, -12, -5, 3, 7, 8, 14, 14, 18, 17, 18, 24, 20, 23, 27, 37, 44, 22,
            25, 34, 28, 30, 32, 34, 36,
        ],
        [
            -90, -93, -78, -41, -25, -16, -6, 5, 28, 20, 37, 41, 61, 60, 43, 51, 55, 45, 48, 52,
            40, 47, 52, 55, 60, 64, 68, 72,
        ],
    ),
    cornered_bishop: s(-45, -41),
    bishop_pawn: s(-4, -4),
    outpost: array([27, 28], [13, 2]),
    minor_behind_pawn: s(9, 2),
    rook_on_open_file: s(33, 9),
    rook_on_half_open_file: s(17, -1),
    doubled_pawn: s(-9, -16),
    isolated_pawn: s(-11, -5),
    backward_pawn: s(-3, -12),
    phalanx: array([0, 1, 8, 13, 25, 49, 20, 21], [0, 4, 7, 6, 40, 40, 15, 14]),
    supported_pawn: array([0, 4, 17, 10, 21, 43, 53, 28], [0, 3, 9, 8, 9, 37, 36, 21]),
    passed_pawn: array(
        [0, 7, 4, 3, 13, 5, 96, 0],
        [0, -14, -5, 43, 60, 102, 131, 0],
    ),
    free_passed_pawn: array([0, 5, 2, 19, -5, 33, 31, 0], [0, -4, 10, -3, 36, 66, 97, 0]),
    passed_pawn_own_king: array(
        [-14, -9, -1, -14, -18, 0, 22, 1],
        [44, 27, 6, -1, -16, -21, -41, -21],
    ),
    passed_pawn_enemy_king: array(
        [-21, -23, 11, 7, 5, 6, -12, -6],
        [-72, -4, -9, 6, 23, 28, 46, 37],
    ),
    pawn_shelter: [
        array([-25, 23, 19, 5, -4, -2, 4, 0], [9, -4, 0, 8, 3, 10, -27, 0]),
        array([-9, 13, 7, 7, 3, 7, -7, 0], [6, -7, 0, -2, -12, 4, 15, 0]),
    ],
    pawn_storm: [
        array(
            [-19, 33, -39, -7, -5, 2, -3, 0],
            [-6, 42, -20, -5, 0, -4, -7, 0],
        ),
        array(
            [1, 1, -48, -14, 0, 9, 7, 0],
            [-7, 26, 5, -4, -3, -10, -9, 0],
        ),
    ],
    king_ring_attackers: array([14, 0, 4, 37, 83, 122], [-1, -5, 0, 5, 0, 0]),
    king_ring_attack: array([12, 16, 12, 11], [-8, 1, -2, 31]),
    safe_check: array([48, 17, 52, 22], [1, 34, 3, 49]),
    threat: [
        array([-9, 63, 64, 66, 62], [5, 46, 40, 37, 9]),
        array([-3, 21, 27, 51, 50], [12, 47, 29, 41, 29]),
        array([-1, 7, 16, -8, 48], [21, 47, 36, 6, 25]),
    ],
    hanging_piece: s(15, 16),
    unprotected: array([-6, -7], [-6, -4]),
    king_ring_xray: array([8, 3, 3], [-3, -6, 6]),
    castling_right: array([3, 7], [3, 7]),
    castling_blockers: array(
        [-17, -18, -15, -15, -11, -11, -15],
        [-8, -7, -20, -1, -1, 0, 0],
    ),
    tempo: s(32, 21),
};
