"""Lets a Python on Linux lack what macOS lacks.

The standard library is loaded first, since it is that of Linux. What it needs itself stays.
"""

import asyncio
import concurrent.futures.process
import multiprocessing.connection
import multiprocessing.context
import multiprocessing.heap
import multiprocessing.popen_spawn_posix
import multiprocessing.resource_tracker
import multiprocessing.sharedctypes
import multiprocessing.spawn
import os
import subprocess
import sys
import types

import click
import pandas
import prompt_toolkit
import rich
import scipy

LOADED = (asyncio, click, concurrent, subprocess, pandas, prompt_toolkit, rich, scipy)
MISSING = "sched_getaffinity sched_setaffinity memfd_create"


class SpawnSys(types.ModuleType):
    """The module `sys` for multiprocessing, which starts processes as on Linux."""

    platform = "linux"

    def __getattr__(self, name: str) -> object:
        return getattr(sys, name)


multiprocessing.spawn.sys = SpawnSys("sys")  # type: ignore[attr-defined]
sys.platform = "darwin"
for name in MISSING.split():
    delattr(os, name)
