"""No worker is forked while this process is in the middle of something that a copy of it could not end.

A forked child has one thread and a copy of all locks: one that another thread held stays locked in it for ever.
SQLite has locks of its own, and the pipes of a worker that is being started would stay open in another. So both are
done with `fork_lock` held, and a fork takes it, too.
"""

from __future__ import annotations

import os
import threading

fork_lock = threading.RLock()
"""Held by a thread while no process must be forked by another one."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=fork_lock.acquire, after_in_parent=fork_lock.release, after_in_child=fork_lock.release)
