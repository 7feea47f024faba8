"""Games, many of them: referee, schedule, runner and store."""
