"""Falls asleep at the beginning of a game."""

import time

from talk import talk

talk(begin=lambda message: time.sleep(60))
