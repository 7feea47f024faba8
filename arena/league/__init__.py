"""The standing league: submitted bots, their versions and their ratings.

A league is a folder with one SQLite database that holds everything: the settings, the bots' files, all games, and the
standings after each event. One process plays it at a time, while others submit bots and read; each may be killed at any
moment.

    settings       the settings of a league
    store          the database
    submission     a bot's files, read from disk
    versions       bots, their versions and the states of a submission
    oversight      the log, limits on authors, pauses
    pairings       pairings, their deals, and what their games add up to
    player         the lock of the one process that plays, and what others see of its work
    rating events  the joint rating, and the standings after each event
    fixtures       the choice of the next pairings
    match_runner   sessions, and play with the machinery of `arena.tournament.runner`
    placement      the course of a submission, and further play
    verification   the check of a league for damage
    views          rows for tables and JSON
"""
