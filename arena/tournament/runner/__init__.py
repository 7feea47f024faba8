"""Playing a tournament: workers, their supervision, dispatch, progress, logs."""
