"""SQLite: every game exactly once; writing and reading it."""
