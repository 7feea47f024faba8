"""Disturbs the process in every way that it can think of, and plays on."""

import gc
import os
import random
import signal
import sys
import tempfile
import warnings


class Disturbs:
    def act(self, view, moves):
        random.seed(1)
        random.random()
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(1)
        os.chdir(tempfile.gettempdir())
        os.environ["PYTHONHASHSEED"] = "1"
        os.environ.pop("PATH", None)
        sys.setrecursionlimit(150)
        sys.path.clear()
        warnings.simplefilter("error")
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 1000)
        gc.disable()
        sys.stdout = sys.stderr = None
        return moves[0]
