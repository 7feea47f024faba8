"""Bots in processes of their own: limits, pipes, the sandbox, bots in any language."""
