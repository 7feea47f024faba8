"""Play a tournament from its settings to a stored run: `arena.run_tournament`, and what the commands share with it.

A comparison has a run for each of several rule sets, with the same bots on the same deals, in one folder.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from arena.bots.bundle import bots_held
from arena.bots.faults import show_value
from arena.errors import ArenaError
from arena.game.rules import Rules, load_rules, preset_names
from arena.lab.notebook import Run
from arena.results.run_data import asked_config, read_run
from arena.results.run_standings import standings
from arena.results.sources import StoredRun, run_to_play
from arena.results.standings_report import write_run_files
from arena.results.until_error import MOST_GAMES, UntilError
from arena.terminal.live import progress_for
from arena.tournament.config import TournamentConfig, config_from_dict, named_config, with_settings
from arena.tournament.folders import run_name, with_folder
from arena.tournament.formats import FORMATS
from arena.tournament.runner.play_run import play_run, prepare
from arena.tournament.runner.progress import ProgressListener
from arena.tournament.store.reader import Reader


class TournamentError(ArenaError):
    """A tournament cannot be played as asked."""


def run_tournament(
    bots: Sequence[str | PathLike[str] | Mapping[str, Any]] | str | PathLike[str] | Mapping[str, Any],
    *,
    format: str | None = None,
    rules: str | Rules | None = None,
    games: int | None = None,
    seed: int | None = None,
    clock: tuple[int | None, int | None] | None = None,
    workers: int | None = None,
    out: str | PathLike[str] | None = None,
    progress: bool = False,
    again: Sequence[str] = (),
    error: float | None = None,
    trust: bool = False,
    **settings: Any,
) -> Run:
    """Play a tournament in worker processes, store it, and return it as `arena.load` does.

    `bots` is a list of specs (`"greedy"`, `"bots/mine.py:depth=3"`), patterns and folders (`"class/*.py"`), or tables
    (`{"spec": ..., "name": ...}`); or the whole tournament as a table, as a TOML file, as the name of one (`"quick"`),
    or as the folder of a stored run. The other arguments take precedence over it. `clock` is (time per move, bank per
    game) in ms.
    `settings` are all other settings of a tournament's file, by name: `isolation="process"`, `pairs=False`,
    `exclude=["class/helper*.py"]`, `swiss={"rounds": 5}`, `sprt={"elo1": 20}`.

    The run is stored in the folder `out`, by default where the commands store it: results/NAME for a tournament with
    a name, else a folder in results/ that is marked with a hash of the settings. A folder that holds a run is brought
    up to date: bots may be new, changed or gone, games more or fewer, and only what is missing is played. Without a
    seed, that of the folder is used, or one is drawn. The bots named in `again` play all their games again. With
    `error`, play continues until the 95% error of every rating is at most `error` Elo, or up to `games` per pairing
    (default: 100,000). With `progress`, progress is shown on stderr.

    A stored run that belongs to another user names bots that you may not know: it is played only with `trust`.

    Worker processes load the bots, so they are named, not given as objects (`play_game` takes objects). Where
    processes are spawned (macOS, Windows), a script must call this below `if __name__ == "__main__":`.

    Raises ArenaError for mistakes in the settings, KeyboardInterrupt after Ctrl-C (the games in progress are stored).
    """
    settings |= {"format": format, "rules": rules, "games": games, "seed": seed, "clock": clock, "workers": workers}
    given = {key: value for key, value in settings.items() if value is not None}
    if isinstance(rules, Rules):
        given["rules"] = rules.text
    if isinstance(clock, tuple | list) and len(clock) == 2:
        given["clock"] = {key: ms for key, ms in zip(("move_ms", "bank_ms"), clock) if ms is not None}
    until = None if error is None else UntilError(error, most=given.pop("games", MOST_GAMES))
    stored = run_to_play(fspath(bots)) if isinstance(bots, str | PathLike) else None
    if stored is None:
        config, named = _config(bots, given)
    else:
        config, named = with_settings(_settings(stored, trust), given, "run_tournament"), True
        out = stored.path if out is None else out
    if until is not None:
        config = until.begin(config)
    config, folder = with_folder(config, None if out is None else Path(out), named)
    report = play_run(config, folder, progress_for() if progress else None, more=until, again=again)
    if report.stopped:
        there = f"{report.done:,} of {report.total:,} games"
        raise KeyboardInterrupt(f"{there} are stored in {folder}; the same call plays the others")
    run = Run(StoredRun(folder))
    run.export()
    return run


def _settings(stored: StoredRun, trust: bool) -> TournamentConfig:
    """Return the settings of a stored run. TournamentError if its bots are not trusted."""
    with Reader(stored.path) as reader:
        config, is_own = asked_config(reader), reader.is_own()
    if not (trust or is_own):
        raise TournamentError(
            f"you did not create {stored.path}. To play on runs its bots with your user account"
            f" ({', '.join(bot.spec for bot in config.bots[:10])}); trust=True allows it"
        )
    return config


def _config(bots: Any, given: dict[str, Any]) -> tuple[TournamentConfig, bool]:
    """Return the settings of a call, and whether they have a name of their own."""
    source = "run_tournament"
    if isinstance(bots, str | PathLike):
        if fspath(bots).endswith(".py") or "*" in fspath(bots):
            raise TournamentError(f"'{fspath(bots)}' names bots, not a tournament; write a list: ['{fspath(bots)}']")
        return with_settings(named_config(fspath(bots)), given, source, exist=True), True
    if isinstance(bots, Mapping):
        values = {**bots, **given}
    elif isinstance(bots, Sequence):
        values = {"bots": [fspath(bot) if isinstance(bot, PathLike) else bot for bot in bots], **given}
    else:
        raise TournamentError(f"bots is a list of specs, a table or a TOML file, not {show_value(bots)}")
    for bot in values.get("bots", ()):
        if not isinstance(bot, str | Mapping):
            raise TournamentError(
                f"{show_value(bot)} is not a spec; worker processes load bots by name or file, such as 'bots/mine.py' "
                "or 'package.module:Class' (play_game plays objects)"
            )
    form = FORMATS.get(str(values.get("format")))
    if form is not None and form.name not in values and (table := form.completed({})):
        values[form.name] = dict(table)
    config = config_from_dict(values, source, "run", exist=True, folder=Path())
    if "name" in values:
        return config, True
    return replace(config, name=run_name(config.format, config.bot_names)), False


# ---------------------------------------------------------------- the same bots under several rule sets

ALL = "all"
"""In a list of variants, every rule set that comes with the program."""


def all_variants(variants: Sequence[str]) -> list[str]:
    """Return the rule sets named; `all` stands for every one that is not named itself."""
    known = {load_rules(name).canonical for name in variants if name != ALL}
    others = [name for name in preset_names() if load_rules(name).canonical not in known]
    return [each for name in variants for each in (others if name == ALL else [name])]


@bots_held()
def play_variants(
    configs: Mapping[Path, TournamentConfig],
    progress: Callable[[], ProgressListener | None],
    on_status: Callable[[str], None],
    until: UntilError | None = None,
    again: Collection[str] = (),
) -> Mapping[str, str] | None:
    """Bring each variant up to date and write its tables; return why bots were left out, None if interrupted.

    `configs` are the settings by folder; `on_status` is called with the variant that is next. With `until`, all
    variants are extended together until the errors of all of them are small enough.
    """
    left_out: dict[str, str] = {}
    games: int | None = None
    while True:
        if games is not None:
            configs, again = {folder: replace(config, games=games) for folder, config in configs.items()}, ()
        for folder, config in configs.items():
            prepare(config, folder, again)  # refuse before anything is written
        next(iter(configs)).parent.mkdir(parents=True, exist_ok=True)
        tables = []
        for number, (folder, config) in enumerate(configs.items(), start=1):
            on_status(f"Variant {number} of {len(configs)}: {config.rules}")
            report = play_run(config, folder, progress(), again=again)
            if report.stopped:
                return None
            left_out |= report.left_out
            tables.append(standings(read_run(folder)))
            write_run_files(tables[-1], folder)
        games = None if until is None else until.look(tables, next(iter(configs.values())))
        if games is None:
            return left_out
