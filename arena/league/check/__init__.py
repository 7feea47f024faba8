"""What a bot's author wants to know before submitting it: `check.check_bot` (`arena check`)."""
