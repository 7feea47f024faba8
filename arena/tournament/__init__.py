"""Tournaments: settings, schedules, referee, workers, stored games."""
