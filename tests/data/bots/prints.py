"""Prints `kb` kilobytes a decision, to every stream there is, and writes bytes."""

import sys


class Prints:
    def __init__(self, kb: int = 200):
        self.text = "so much to say " * (kb * 1024 // 15)

    def act(self, view, moves):
        print(self.text)
        print(self.text, file=sys.stderr)
        sys.stdout.buffer.write(self.text.encode())
        sys.stdout.flush()
        sys.stdout.close()
        return moves[0]
