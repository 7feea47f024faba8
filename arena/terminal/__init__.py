"""Games in a terminal: to play, to watch, to debug; and the live table of a run."""
