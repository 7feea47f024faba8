"""Tournament formats: ordered, deterministic, resumable lists of pairs."""
