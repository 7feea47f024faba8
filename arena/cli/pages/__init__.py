"""Commands that make pages and pictures of results."""
