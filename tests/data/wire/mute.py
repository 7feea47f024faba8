"""Reads nothing and says nothing."""

import time

time.sleep(60)
