"""Hooks into its interpreter in all ways, so that its code runs when it is not asked, and plays on."""

import atexit
import faulthandler
import gc
import signal
import sys
import threading
import time
import weakref


class HooksEverything:
    def __init__(self):
        self.cycle = self
        atexit.register(time.sleep, 60)
        weakref.finalize(self, time.sleep, 60)
        for number in (
            signal.SIGALRM,
            signal.SIGPROF,
            signal.SIGVTALRM,
            signal.SIGTERM,
            signal.SIGINT,
            signal.SIGPIPE,
        ):
            signal.signal(number, lambda *given: None)
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)
        sys.settrace(lambda *given: None)
        sys.setprofile(lambda *given: None)
        threading.settrace(lambda *given: None)
        sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *given: time.sleep(60)
        sys.setswitchinterval(100)
        gc.disable()
        gc.callbacks.append(lambda *given: None)
        faulthandler.dump_traceback_later(0.05, repeat=True, file=2)

    def act(self, view, moves):
        return moves[0]

    def __del__(self):
        time.sleep(60)
