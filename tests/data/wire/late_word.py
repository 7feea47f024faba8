"""Says something behind its last answer of a game, before the end."""

from talk import honest, talk, write

talk(end=lambda message: write(b"well played\n" + honest(message)))
