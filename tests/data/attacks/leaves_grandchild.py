"""Leaves processes behind that do all they can to be forgotten, then plays on.

`pids` is a file into which each of them writes its number. `how`: `plain` forks twice, in a session of its own;
`pipes` also keeps the pipes to the runner open; `family` has children of its own that do the same again and again;
`later` comes from a thread some time after the game.
"""

import os
import signal
import threading
import time

LEFT = []


class LeavesGrandchild:
    def __init__(self, pids: str = "", how: str = "plain"):
        self.pids = pids
        self.how = how

    def act(self, view, moves):
        if not LEFT:
            LEFT.append(True)
            if self.how == "later":
                threading.Thread(target=self.later, daemon=True).start()
            else:
                self.leave(self.how == "pipes", 3 if self.how == "family" else 1)
        if self.how == "later":
            time.sleep(0.01)
        return moves[0]

    def later(self):
        while True:
            self.leave(False, 1)
            time.sleep(0.002)

    def leave(self, keep, generations):
        """Start a process that nobody is the parent of, and wait until it has written its number."""
        before = self.written()
        child = os.fork()
        if child == 0:
            for _ in range(generations):
                os.setsid()
                if os.fork() == 0:
                    self.stay(keep)
                if os.fork():
                    os._exit(0)
            os._exit(0)
        os.waitpid(child, 0)
        while self.written() < before + generations:
            time.sleep(0.002)

    def stay(self, keep):
        try:
            for number in signal.valid_signals():
                if number not in (signal.SIGKILL, signal.SIGSTOP):
                    signal.signal(number, signal.SIG_IGN)
            if not keep:
                os.closerange(0, 256)
            file = os.open(self.pids, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.write(file, f"{os.getpid()}\n".encode())
            os.close(file)
            os.chdir("/")
            time.sleep(60)
        finally:
            os._exit(0)

    def written(self):
        try:
            with open(self.pids) as file:
                return len(file.readlines())
        except FileNotFoundError:
            return 0
