"""Goes on with a million lines after a right answer."""

from talk import honest, talk, write


def act(message):
    write(honest(message) + b"{}\n" * 1000000)


talk(act)
