"""The standing league: submitted bots, their versions and their ratings.

A league is a folder with one SQLite database that holds everything: the settings, the bots' files, all games, and
the standings after each event. Several processes may work on it at once, and each may be killed at any moment.

    settings        what a league is created with
    store           the database
    submission      a bot's files, read from disk
    versions        bots, their versions and the states of a submission
    oversight       who works on it and did what, budgets, a pause, deaths of processes
    games           pairings, reserved deals, games stored exactly once
    rating events   the joint rating, and the standings after each event
    pairing         who should play whom next
    match_runner    playing, with the machinery of `arena.tournament.runner`
    admission placement play    what happens to a submission; games beyond it
    verification    is all of it whole?
    as_run          its games as those of a run
    figures views   the results of its games as columns; what a league shows of itself
"""
