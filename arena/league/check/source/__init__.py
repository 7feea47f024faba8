"""A bot's source, read and not run: hints that may explain what its games show."""
