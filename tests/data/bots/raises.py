"""Raises an exception in one hook: `what` of builtins, from decision `after` on if the hook is `act`."""

import builtins


class Raises:
    def __init__(self, hook: str = "act", what: str = "ValueError", after: int = 2):
        self.hook = hook
        self.what = getattr(builtins, what)
        self.after = after
        self.fail("__init__")

    def begin(self, setup):
        self.asked = 0
        self.fail("begin")

    def act(self, view, moves):
        self.asked += 1
        if self.asked > self.after:
            self.fail("act")
        return moves[0]

    def observe(self, event):
        self.fail("observe")

    def end(self, result):
        self.fail("end")

    def fail(self, hook):
        if hook == self.hook:
            raise self.what(f"on purpose in {hook}")
