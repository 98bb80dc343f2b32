#!/usr/bin/env python3
"""Writes a table of the games of PGN files as python-chess reads them; the tests compare with it.

python-chess splits the file into games, parses the tags and plays all moves. The table has a row per game: file, number of
the game, start ids of White and Black (empty if the game is not from a start), result, first move (UCI, castling as king
takes rook), plies, ply and side of White's and Black's castling, and the ratings.

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python scripts/count-pgn.py data/pgn/*.pgn > data/pgn/games.csv
"""

import csv
import os
import sys

import chess
import chess.pgn


def start_of(board):
    """The start ids of White's and Black's back ranks, or an empty string if the board is not a start position."""
    ids = []
    for color, rank, pawns in ((chess.WHITE, 0, 1), (chess.BLACK, 7, 6)):
        if board.occupied_co[color] != chess.BB_RANKS[rank] | chess.BB_RANKS[pawns]:
            return ""
        if board.pawns & board.occupied_co[color] != chess.BB_RANKS[pawns]:
            return ""
        # python-chess only numbers symmetric positions, so both sides get this back rank.
        home = chess.Board(None, chess960=True)
        for file in range(8):
            piece = board.piece_at(chess.square(file, rank))
            home.set_piece_at(chess.square(file, 0), chess.Piece(piece.piece_type, chess.WHITE))
            home.set_piece_at(chess.square(file, 7), chess.Piece(piece.piece_type, chess.BLACK))
            home.set_piece_at(chess.square(file, 1), chess.Piece(chess.PAWN, chess.WHITE))
            home.set_piece_at(chess.square(file, 6), chess.Piece(chess.PAWN, chess.BLACK))
        found = chess.BaseBoard(home.board_fen()).chess960_pos()
        if found is None:
            return ""
        ids.append(str(found))
    return "/".join(ids)


def rows_of(path):
    with open(path, encoding="utf-8", errors="replace") as text:
        number = 0
        while (game := chess.pgn.read_game(text)) is not None:
            number += 1
            if game.errors:
                sys.exit(f"{path}, game {number}: {game.errors}")
            board = game.board()
            board.chess960 = True
            start = start_of(board)
            first, castled, plies = "", ["", ""], 0
            for move in game.mainline_moves():
                plies += 1
                if plies == 1:
                    first = move.uci() if not board.is_castling(move) else chess960_uci(board, move)
                if board.is_castling(move) and not castled[(plies + 1) % 2]:
                    side = "h" if board.is_kingside_castling(move) else "a"
                    castled[(plies + 1) % 2] = f"{plies}{side}"
                board.push(move)
            headers = game.headers
            yield [
                os.path.basename(path), number, start, headers.get("Result", "*"), first, plies, *castled,
                headers.get("WhiteElo", ""), headers.get("BlackElo", ""),
            ]


def chess960_uci(board, move):
    board = board.copy()
    board.chess960 = True
    return board.uci(move, chess960=True)


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["file", "game", "start", "result", "first_move", "plies", "white_castled", "black_castled",
                  "white_elo", "black_elo"])
    for path in sys.argv[1:]:
        out.writerows(rows_of(path))


main()
