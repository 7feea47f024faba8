"""What can be told from the source alone."""

import random
import threading

try:
    import some_package_that_is_nowhere
except ImportError:
    some_package_that_is_nowhere = None

LOCK = threading.Lock()


def act(view, moves):
    try:
        with open("book.txt") as file:
            file.read()
    except OSError:
        pass
    return random.choice(moves)
