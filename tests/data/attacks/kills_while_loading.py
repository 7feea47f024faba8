"""Kills the worker a little after its own file was loaded, while it loads another bot's."""

import os
import subprocess
import sys

WORKER = os.getpid() if "arena.tournament.runner.worker_process" in sys.modules else os.getppid()
subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -9 {WORKER}"], start_new_session=True)


def act(view, moves):
    return moves[0]
