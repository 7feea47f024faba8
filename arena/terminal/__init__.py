"""Games in a terminal: to play, to print, and the live table of a run."""
