"""The two games of a pair are played by two processes, each in a sandbox of its own. These tell each other their hands.

They see the same read-only files, and a lock that one puts on such a file can be felt by the other: `how` says by which
kind of lock. What the one holds, the opponent of the other holds. Who has known in eight games, one after the other,
what the opponent's first card would be, says so.
"""

import fcntl
import itertools
import os
import struct
import sysconfig

from arena.game.cards import CARD_TEXTS, card_number

FLOCK = struct.Struct("hhqqi4x")  # struct flock: type, whence, start, length, process
GAMES = itertools.count()
KNOWN = []


class TellsItsTwin:
    def __init__(self, how: str = "ranges"):
        self.medium = {"ranges": Ranges, "files": Files}[how]()

    def begin(self, setup):
        self.game = next(GAMES)  # the other process plays its games in the same order
        self.said = False
        self.waiting = True

    def act(self, view, moves):
        if not self.said:
            self.said = True
            self.medium.say(self.game, {card_number(card) for card in view.hand})
        played = {card for side in view.theirs for card in side}
        if self.waiting and played:
            self.waiting = False
            heard = {CARD_TEXTS[number] for number in self.medium.hear(self.game)}
            if heard:
                KNOWN.append(len(heard) < 10 and played <= heard)
        if len(KNOWN) >= 8 and all(KNOWN[-8:]):
            raise AssertionError("secret read: the opponent's hands, told by the other process")
        return moves[0]


class Ranges:
    """A lock on a byte of the bot's own file for each card of each game."""

    SET, GET = 37, 36  # F_OFD_SETLK, F_OFD_GETLK

    def __init__(self):
        self.file = os.open(__file__, os.O_RDONLY)

    def say(self, game, numbers):
        for number in numbers:
            self.lock(self.SET, fcntl.F_RDLCK, 64 * game + number)

    def hear(self, game):
        return [n for n in range(54) if self.lock(self.GET, fcntl.F_WRLCK, 64 * game + n) == fcntl.F_RDLCK]

    def lock(self, command, kind, place):
        try:
            answer = fcntl.fcntl(self.file, command, FLOCK.pack(kind, os.SEEK_SET, place, 1, 0))
        except OSError:
            return None
        return FLOCK.unpack(answer)[0]


class Files:
    """A lock on a whole file, for each card one of the standard library's."""

    def __init__(self):
        folder = sysconfig.get_path("stdlib")
        names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))[:54]
        self.files = [os.open(os.path.join(folder, name), os.O_RDONLY) for name in names]

    def say(self, game, numbers):
        for number, file in enumerate(self.files):
            self.lock(file, fcntl.LOCK_SH if number in numbers else fcntl.LOCK_UN)

    def hear(self, game):
        return [number for number, file in enumerate(self.files) if not self.lock(file, fcntl.LOCK_EX)]

    def lock(self, file, kind):
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
