"""Writes into the pipe to the runner what it should not, in its second decision of each game. `how` says what."""

import fcntl
import os
import pickle
import struct
import time

from arena.game.moves import parse_move

DONE, ANSWER, FAULT = 11, 13, 14
EXCEPTION, ACT = 0, 4


class Bomb:
    """Who unpickles it runs a command; the test looks for its traces."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


class ForgesFrames:
    def __init__(self, how: str = "garbage", path: str = "/tmp/planted_by_attack"):
        self.how = how
        self.path = path
        self.question = 0  # the number of the question that is being answered
        self.pipe = answers()

    def begin(self, setup):
        self.decisions = 0

    def act(self, view, moves):
        self.question += 1
        self.decisions += 1
        if self.decisions == 2:
            return getattr(self, self.how)(view, moves) or moves[0]
        return moves[0]

    def write(self, data):
        at = 0
        while at < len(data):
            at += os.write(self.pipe, data[at:])

    def answer(self, question, *moves):
        self.write(frame(ANSWER, struct.pack("<I", question), *(struct.pack("<H", one) for one in moves)))

    # ---- what it does --------------------------------------------------------------------------------------

    def early(self, view, moves):
        self.answer(self.question + 1, moves[0].index)

    def twice(self, view, moves):
        self.answer(self.question, moves[0].index)

    def again(self, view, moves):
        self.answer(self.question - 1, moves[0].index)
        time.sleep(60)

    def megabytes(self, view, moves):
        self.write(b"r1@1\n" * (2 << 20))

    def half(self, view, moves):
        self.write(frame(ANSWER, bytes(8))[:7])
        time.sleep(60)

    def drop_by_drop(self, view, moves):
        self.write(struct.pack("<IB", 30_000, ANSWER))
        while True:
            self.write(b"x")
            time.sleep(0.02)

    def garbage(self, view, moves):
        self.write(os.urandom(4) + b"\xff\xfe\x00garbage\x1b[2J\r\n" * 40)

    def closes(self, view, moves):
        os.close(self.pipe)

    def closes_and_stays(self, view, moves):
        os.close(self.pipe)
        time.sleep(60)

    def forges_done(self, view, moves):
        self.write(frame(DONE))
        time.sleep(60)

    def forges_a_fault_elsewhere(self, view, moves):
        self.write(frame(FAULT, struct.pack("<IBB", 0, ACT, EXCEPTION), b"the other did it"))
        time.sleep(60)

    def forges_a_long_fault(self, view, moves):
        text = (
            "\x1b]0;owned\x07\x1b[31m\r\u202e\u2028\n2000-01-01 00:00:00,000 INFO 1 arena.tournament.runner: forged "
            * 400
        )
        self.write(frame(FAULT, struct.pack("<IBB", self.question, ACT, EXCEPTION), text.encode()[:32_000]))
        time.sleep(60)

    def says_a_wrong_size(self, view, moves):
        self.write(struct.pack("<IBIH", 0xFFFFFFFF, ANSWER, self.question, moves[0].index))

    def answers_too_many(self, view, moves):
        self.answer(self.question, *[moves[0].index] * 65)
        time.sleep(60)

    def move_that_does_not_exist(self, view, moves):
        self.answer(self.question, 65535)
        time.sleep(60)

    def move_of_the_opponent(self, view, moves):
        self.answer(self.question, parse_move(f"{view.unseen[0]}@{moves[0].stone or 1}").index)
        time.sleep(60)

    def sends_a_pickle(self, view, moves):
        self.write(pickle.dumps(Bomb(self.path)))

    def sends_a_pickle_in_a_frame(self, view, moves):
        self.write(frame(FAULT, struct.pack("<IBB", self.question, ACT, EXCEPTION), pickle.dumps(Bomb(self.path))))
        time.sleep(60)


def frame(kind, *parts):
    body = b"".join(parts)
    return struct.pack("<IB", len(body), kind) + body


def answers():
    """The pipe by which the runner gets its answers: the first beyond stderr that can be written to."""
    for number in range(3, 256):
        try:
            if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                return number
        except OSError:
            continue
    return 2
