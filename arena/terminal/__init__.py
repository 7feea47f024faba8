"""Games in a terminal: to play, to watch, to debug; and the table of a run that goes on."""
