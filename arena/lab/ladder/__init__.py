"""The ladder of reference bots: played and kept by rule set, and where another bot stands on it."""
