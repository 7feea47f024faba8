"""Decides by the clock."""

import time


def act(view, moves):
    return moves[time.perf_counter_ns() // 100 % len(moves)]
