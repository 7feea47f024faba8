"""Commands for a person at a terminal: play, watch, debug."""
