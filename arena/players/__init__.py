"""Who plays: the protocol of a bot, and how a bot is found and loaded."""
