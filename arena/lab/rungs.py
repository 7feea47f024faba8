"""Place a bot on the ladder of reference bots: a gauntlet against all rungs, and where the bot stands.

A bot is stronger or weaker than a rung if the 95% interval of their Elo difference says so; otherwise that is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.bots.spec import find_bot
from arena.errors import ArenaError
from arena.results.run_data import RunData, read_run
from arena.results.table import percent
from arena.stats.pairs import counts_between, head_to_head
from arena.tournament.config import TournamentConfig, check_config, named_config
from arena.tournament.folders import folder_name, marked_folder
from arena.tournament.run_settings import BotSetting, GauntletSettings
from arena.tournament.runner.play_run import play_run
from arena.tournament.runner.progress import ProgressListener

_NAME = "ladder"
GAMES_A_RUNG = 100


def ladder_config(text: str = _NAME) -> TournamentConfig:
    """Read the ladder from a file or by name: its `bots` are the rungs, the lowest first."""
    config = named_config(text)
    if config.seed is None:
        raise ArenaError(f"{text}: a ladder needs a seed, so that it can be resumed; for example seed = 1")
    return config


def place_sentence(run: RunData) -> str:
    """Say where the first bot of a run stands among the rungs, or only that it forfeited every game."""
    bot, *rungs = run.bots
    rules = run.config["rules"]
    if bot in run.forfeit_summary.always:
        return f"{rules}: {bot} has no place, for it forfeited every game."
    games = run.columns.games()
    heads = [head_to_head(counts_between(games, bot, rung)) for rung in rungs]
    if above := max((number for number, head in enumerate(heads, 1) if head.elo_low > 0), default=0):
        place = f"stronger than {rungs[above - 1]}, rung {above} of {len(rungs)}"
    else:
        place = "not shown to be stronger than any rung"
    parts = [f"{rules}: {bot} is {place}"]
    scores = [(f"{rung} ({percent(head.score)}%)", head) for rung, head in zip(rungs, heads)]
    if undecided := [text for text, head in scores if head.elo_low <= 0 <= head.elo_high]:
        parts.append(f"undecided after {heads[0].games} games against {', '.join(undecided)}")
    if weaker := [text for text, head in scores if head.elo_high < 0]:
        parts.append(f"weaker than {', '.join(weaker)}")
    return "; ".join(parts)


def candidate(spec: str, rungs: Sequence[BotSetting]) -> tuple[BotSetting, tuple[BotSetting, ...]]:
    """Return the bot, under a name that no rung has, and the rungs other than itself."""
    bot = find_bot(spec)
    others = []
    for rung in rungs:
        known = find_bot(rung.spec, rung.params, rung.name)
        if (known.source_hash, known.params, known.target) != (bot.source_hash, bot.params, bot.target):
            others.append(rung)
    if not others:
        raise ArenaError("the ladder has no rung other than this bot")
    name = bot.name
    while name in [rung.name for rung in others]:
        name += "-candidate"
    return BotSetting(bot.spec, name, labels=bot.labels), tuple(others)


def settings(ladder: TournamentConfig, spec: str, rules: str, games: int, isolation: str | None) -> TournamentConfig:
    """Return the gauntlet of a bot against the rungs; `isolation` is for the bot only."""
    bot, rungs = candidate(spec, ladder.bots)
    config = replace(
        ladder,
        name=folder_name(f"{_NAME}-{bot.name}-{rules}"),
        format="gauntlet",
        format_settings=GauntletSettings(),
        bots=(replace(bot, isolation=isolation), *rungs),
        games=games,
        rules=rules,
        out=None,
    )
    return check_config(config, _NAME, exist=True)


def stand(
    ladder: TournamentConfig,
    spec: str,
    rules: str,
    games: int = GAMES_A_RUNG,
    isolation: str | None = None,
    progress: ProgressListener | None = None,
) -> RunData | None:
    """Play a bot against each rung in one rule set; return the stored run: the bot, then the rungs, the lowest first.

    Return None if interrupted. Games stored by an earlier call are not played again. `isolation` is for the bot only:
    the rungs run where the ladder says.
    """
    config = settings(ladder, spec, rules, games, isolation)
    folder = marked_folder(config.name, config.canonical(), config)
    return None if play_run(config, folder, progress).stopped else read_run(folder)
