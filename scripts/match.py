#!/usr/bin/env python3
"""Plays a match between two UCI engines and prints the score with its 95 % confidence interval.

Each opening is played twice with reversed colours. An opening is a random start, or the classical one, and four random
plies after which a referee engine evaluates the position as balanced. The same seed gives the same openings. Requires
python-chess:

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python scripts/match.py 'target/release/ninesixty uci' 10000 stockfish 500 --games 40
"""

import argparse
import math
import random
import shlex

import chess
import chess.engine

RANDOM_PLIES = 4
MAX_GAME_PLIES = 400

# An opening is balanced if the referee's score is below this many centipawns.
BALANCED_CP = 80
REFEREE_NODES = 20_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("first", help="command of the engine whose score is printed")
    parser.add_argument("first_nodes", type=int, help="nodes per move of the first engine")
    parser.add_argument("second", help="command of the other engine")
    parser.add_argument("second_nodes", type=int, help="nodes per move of the second engine")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--classical", action="store_true", help="play from start 518 only")
    parser.add_argument("--referee", default="stockfish", help="command of the engine that selects balanced openings")
    parser.add_argument("--seed", type=int, default=960)
    args = parser.parse_args()
    with start(args.first) as first, start(args.second) as second, start(args.referee) as referee:
        players = [(first, args.first_nodes), (second, args.second_nodes)]
        points = []
        rng = random.Random(args.seed)
        for _ in range(args.games // 2):
            opening = balanced_opening(referee, args.classical, rng)
            points.append(play(opening, players[0], players[1]))
            points.append(1 - play(opening, players[1], players[0]))
            print(standing(points), flush=True)


def start(command):
    return chess.engine.SimpleEngine.popen_uci(shlex.split(command))


def balanced_opening(referee, is_classical, rng):
    while True:
        number = 518 if is_classical else rng.randrange(960)
        board = chess.Board.from_chess960_pos(number)
        for _ in range(RANDOM_PLIES):
            board.push(rng.choice(list(board.legal_moves)))
        limit = chess.engine.Limit(nodes=REFEREE_NODES)
        score = referee.analyse(board, limit, game=object())["score"].white().score(mate_score=10_000)
        if abs(score) < BALANCED_CP:
            return board


def play(opening, white, black):
    """Plays a game and returns White's points."""
    board = opening.copy()
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < MAX_GAME_PLIES:
        engine, nodes = white if board.turn == chess.WHITE else black
        board.push(engine.play(board, chess.engine.Limit(nodes=nodes), game=game).move)
    return {"1-0": 1, "0-1": 0}.get(board.result(claim_draw=True), 0.5)


def standing(points):
    won, drawn, lost = (points.count(result) for result in (1, 0.5, 0))
    score = sum(points) / len(points)
    variance = sum((point - score) ** 2 for point in points) / len(points)
    error = 1.96 * math.sqrt(variance / len(points))
    return f"{won} won, {drawn} drawn, {lost} lost: {100 * score:.0f} % ± {100 * error:.0f}"


if __name__ == "__main__":
    main()
