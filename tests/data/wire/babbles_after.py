"""Says something after each game, which no game hears."""

from talk import honest, talk, write

talk(end=lambda message: write(honest(message) + b"good game!\n"))
