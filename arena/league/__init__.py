"""The standing league: submitted bots, their versions and their ratings.

A league is a folder with one SQLite database that holds everything: the settings, the bots' files, all games, and the
standings after each event. One process plays it at a time, while others submit bots and read; each may be killed at any
moment.

    league_settings  the settings of a league
    store            the database
    submission       a bot's files in memory, checked
    versions         bots and their versions
    oversight        the log, limits on authors, pauses
    rating           the joint rating
    events           the standings after each event
    book             the states of a submission, and how a version comes from one to the next
    fixtures         whose games come next, and on which deals
    player           the one process that plays: its lock, what others see of its work, its workers
    placement        the course of a submission, and further play
    verification     the check of a league for damage
    views            rows for tables and JSON
"""
