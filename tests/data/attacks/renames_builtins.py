"""Gives built-in names another meaning, in its file and while it plays, also for whoever plays beside it."""

import builtins


def change():
    builtins.divmod = builtins.hex = None
    builtins.planted_by_attack = True


change()


class RenamesBuiltins:
    def begin(self, setup):
        pass

    def act(self, view, moves):
        return moves[0]

    def end(self, result):
        change()
