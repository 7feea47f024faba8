"""The standing league: submitted bots, their versions, and who is how strong.

A league is a folder with one SQLite database that holds everything: settings, the bots' files themselves, all
games, and the standing after each event. Several processes may work on it side by side, and each may be killed
at any moment.

    settings        what a league is begun with
    submission      a bot's files on their way into the league
    schema store    the database; who is working on it
    versions         bots and their versions
    games           pairings, deals set apart, games exactly once
    rating events   the joint rating, and what it was before
    choice          who should play whom next
    crew            playing, with the machinery of arena.match
    admission placement play    what happens to a submission; games beyond it
"""
