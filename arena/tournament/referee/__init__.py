"""One game: seats, clock, forfeits, times, records."""
