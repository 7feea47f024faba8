"""Bots in processes of their own: limits, pipes, the sandbox, bots in any language."""

ISOLATIONS = ("none", "process", "sandbox")
"""Where bots may run: in the worker, each in a process of its own, or there without network and files."""
