"""Commands for those who write bots: judge games, tune parameters."""
