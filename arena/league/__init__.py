"""The standing league: submitted bots, their versions and their ratings.

A league is a folder with one SQLite database that holds everything: the settings, the bots' files, all games, and the
standings after each event. Several processes may work on it at once, and each may be killed at any moment.

    settings       what a league is created with
    store          the database
    submission     a bot's files, read from disk
    versions       bots, their versions and the states of a submission
    oversight      the log, what authors may use, pauses
    games          pairings, reserved deals, games stored exactly once
    rating events  the joint rating, and the standings after each event
    fixtures       who plays whom next
    match_runner   sessions with leases, and playing with the machinery of `arena.tournament.runner`
    check          plays a bot as a league does, and says what that shows
    placement      what happens to a submission, and games beyond that
    verification   whether all of it is whole
    views          what a league shows of itself
"""
