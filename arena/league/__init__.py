"""The standing league: submitted bots, their versions and their ratings.

A league is a folder with one SQLite database that holds everything: the settings, the bots' files, all games, and the
standings after each event. Several processes may work on it at once, and each may be killed at any moment.

    settings       the settings of a league
    store          the database
    submission     a bot's files, read from disk
    versions       bots, their versions and the states of a submission
    oversight      the log, limits on authors, pauses
    games          pairings, reserved deals, games stored exactly once
    rating events  the joint rating, and the standings after each event
    fixtures       the choice of the next pairings
    match_runner   sessions with leases, and play with the machinery of `arena.tournament.runner`
    check          the check of a bot before submission
    placement      the course of a submission, and further play
    verification   the check of a league for damage
    views          rows for tables and JSON
"""
