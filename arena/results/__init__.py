"""Tables, boards, reports and pages that users read; here the kinds of plots and reports, which options name."""

PLOT_KINDS = {
    "standings": "Ratings with their 95% intervals",
    "crosstable": "Score in % of each row's bot against the column's, with 95% intervals",
    "variants": "Score by rule set with 95% intervals",
    "progress": "Ratings as more games are counted, with 95% errors",
    "lengths": "How many games took how many turns",
    "history": "Ratings of the versions of a bot with their 95% intervals, by commit",
}
"""Plots that one can ask for by name, with what they show."""
REPORT_KINDS = ("table", "wide", "markdown", "csv", "json", "html")
"""Formats of a report; the first, the default, fits the terminal. REPORT_FORMATS has their functions."""
