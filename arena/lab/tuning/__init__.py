"""Parameters of bots found by paired games: `arena tune`."""
