"""Python functions: play games, run and load tournaments, compare, tune, ladder."""
