"""The commands and options of version 0.2 that were renamed. An old name is answered with the new one."""

from __future__ import annotations

COMMANDS = {
    "analyse": "arena replay RUN GAME --judge",
    "debug": "arena replay RUN GAME --ask BOT",
    "init": "arena new --workspace DIR",
    "perft": "arena bench --perft DEPTH",
    "ratings": "arena rate",
    "stats": "arena standings --all",
    "watch": "arena replay RUN GAME --watch (for two bots: arena play BOT1 BOT2)",
    "league budget": "arena league people",
    "league export": "arena export LEAGUE --all",
    "league fetch": "arena league show LEAGUE BOT --files DIR",
    "league invite": "arena league people LEAGUE --invite AUTHOR",
    "league list": "arena league show",
    "league log": "arena league history --log",
    "league resume": "arena league pause --undo",
    "league standings": "arena league show (earlier ratings: arena league history --ratings)",
    "league verify": "arena verify LEAGUE",
}

OPTIONS = {
    "bench": {"--depth": "--perft DEPTH"},
    "compare": {"--rules": "--variants"},
    "export": {"--games": "--all", "--crosstable": "--all", "--to": "--out"},
    "league create": {
        "--anchor": "--set rating.anchor=BOT",
        "--anchor-elo": "--set rating.anchor_elo=ELO",
        "--author-mb": "--set budget.author_mb=N",
        "--disk-mb": "--set budget.disk_mb=N",
        "--error": "--set placement.error=ELO",
        "--games": "--set placement.games=N",
        "--most-games": "--set placement.most_games=N",
        "--no-pairs": "--set pairs=false",
        "--prior": "--set rating.prior=N",
        "--sample": "--set placement.sample=N",
        "--shared-deals": "--set own_deals=false",
        "--submissions": "--set budget.submissions=N",
    },
    "league play": {"--games": "--max-games"},
    "report": {"--games": "--replays"},
    "submit": {"--token": "--token-file FILE"},
    "sprt": {"--games": "--max-pairs (a pair is two games)"},
}


def new_name(command: str, option: str = "") -> str | None:
    """The sentence that names the successor of a command, such as `league list`, or of one of its options, if any.

    >>> new_name("stats")
    "'arena stats' is now 'arena standings --all'"
    >>> new_name("report", "--games")
    "'arena report --games' is now '--replays'"
    """
    new = OPTIONS.get(command, {}).get(option) if option else COMMANDS.get(command)
    if new is None:
        return None
    name, _, note = new.partition(" (")
    return f"'arena {f'{command} {option}'.rstrip()}' is now '{name}'" + (f" ({note}" if note else "")
