"""Values that all rooms above share: what is to be played, and what was played."""
