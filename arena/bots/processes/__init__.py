"""The ground floor: worker processes' ties and bounds, process trees. Knows no bots and no games."""
