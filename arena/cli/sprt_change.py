"""`arena sprt BOT` with one bot: what it is tested against, with which seed, and how often that was asked before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from arena.bots.faults import BotError
from arena.bots.revision import find_revision, is_shallow, same_files, split_revision, versions
from arena.bots.spec import BotSpec, find_bot, params_text, parse_spec, with_versions
from arena.errors import ArenaError
from arena.paths import RESULTS
from arena.text import one_line
from arena.tournament.config import TournamentConfig
from arena.tournament.folders import marked_folder, stored_run

_SEEDS = 10**8


def change_of(text: str) -> tuple[list[BotSpec], str]:
    """Return a bot and the version before it, which takes the same parameters, and a line that says which these are.

    A bot that is not as committed is tested against the last commit's version. ArenaError if there is none before it.
    """
    spec, parts, here = find_bot(text), parse_spec(text), Path.cwd()
    if spec.bundle is None or not (spec.revision or parts.target.endswith(".py")):
        raise BotError(f"{parts.target} has no versions; name two bots, or the file of one")
    path, _ = split_revision(parts.target, here) or (parts.target, "")
    file = spec.revision or find_revision(path, "HEAD", here)
    older = versions(file, file.commit)
    if (last := next(older, None)) is None:
        raise ArenaError(
            f"{path} is in no commit yet, so there is nothing to compare it with; commit it, then change it"
        )
    options = params_text(parts.params)
    stem = one_line(Path(path).stem)
    if same_files(spec.bundle, file.bundle):
        before = next(older, None)
        if before is None:
            why = "this clone is shallow: git fetch --unshallow" if is_shallow(file.top) else "change it, and ask again"
            raise ArenaError(f"{path} is as committed in {last.about.text}, and there is no version before it; {why}")
        spec = find_bot(f"{path}@{last.commit}{options}", name=parts.name)
        line = f"{stem}@{last.about.text}, against {stem}@{before.about.text}"
    else:
        before = last
        line = f"{stem}, changed since {before.about.text}, against {stem}@{before.commit[:7]}"
    return with_versions([spec, find_bot(f"{path}@{before.commit}{options}")]), line


def change_seed(bots: Sequence[BotSpec]) -> int:
    """Return the seed of a test: the same for the same two bots, another one for each new version."""
    text = json.dumps([[bot.source_hash, {key: str(value) for key, value in bot.params}] for bot in bots])
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) % _SEEDS


def change_folder(config: TournamentConfig) -> Path:
    """Return the folder of the test of two versions, wherever they are read from."""
    settings = config.canonical()
    bots = [{key: value for key, value in bot.items() if key != "spec"} for bot in settings["bots"]]
    return marked_folder(config.name, settings | {"bots": bots}, config)


def tested_text(bots: Sequence[BotSpec], test: Mapping[str, Any]) -> str:
    """Say how many versions were tested against the same one, and how likely one of `count` equal ones passes.

    `test` are the settings of the test.
    """
    tested = {bots[0].source_hash}
    for folder in RESULTS.glob("sprt-*"):
        if (reader := stored_run(folder)) is not None:
            with reader:
                stored = reader.bots()
                if reader.config()["format"] == "sprt" and stored[1].source == bots[1].source_hash:
                    tested.add(stored[0].source)
    count = len(tested)
    said = "the first version tested against it" if count == 1 else f"{count} versions tested against it so far"
    if test["elo0"] < 0:  # then equal ones shall pass
        return said
    equal = "an equal one" if count == 1 else f"one of {count} equal ones"
    return f"{said}; {equal} passes with a chance of {100 * (1 - (1 - test['alpha']) ** count):.0f}%"
