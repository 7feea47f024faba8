"""Games that no table shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from arena.tournament.games import Chunk, PairTask
from arena.tournament.store.columns import StoredPairing
from arena.tournament.store.reader import BotEntry
from arena.tournament.store.writer import Store, Wanted, open_store
from tests.tournament.runner.fake import play_pairs

PAIRS = "pairs"


def bring_up(
    store: Store, bots: Mapping[str, str], deals: int, design: str = PAIRS, left_out: Mapping[str, str] | None = None
) -> None:
    """Bring a run of bots (name: source) up to date, as a round robin."""
    known = store.entries()
    numbers = {(entry.name, entry.source): number for number, entry in known.items()}
    new = [BotEntry(name, name, source) for name, source in bots.items() if (name, source) not in numbers]
    numbers |= {(bot.name, bot.source): number for number, bot in enumerate(new, max(known, default=-1) + 1)}
    field = [numbers[bot] for bot in bots.items()]
    tasks = [PairTask(number, 0, a, b) for number, (a, b) in enumerate(pairs_of([*bots]))]
    place = dict(zip(bots, field))
    pairings = [StoredPairing(task.pairing, 0, place[task.a], place[task.b], 7, design) for task in tasks]
    config = {"bots": [{"name": name, "spec": name} for name in bots], "seed": 7}
    store.bring_up(Wanted(config, {}, {}, field, new, pairings, deals, left_out or {}))
    store.begin_session({})
    for deal in range(deals):
        chunk = Chunk(deal, tuple(store.numbered(task._replace(deal=deal)) for task in tasks))
        store.add([play_pairs(chunk)])


def pairs_of(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(tmp_path / "run")) as store:
        yield store


@pytest.mark.parametrize(
    ("after", "hidden"),
    [
        (({"ann": "1", "bob": "2", "cid": "1"}, 5), 20),
        (({"ann": "1", "bob": "1"}, 5), 20),
        (({"ann": "1", "bob": "1"}, 5, PAIRS, {"cid": "no file"}), 20),
        (({"ann": "1", "bob": "1", "cid": "1"}, 3), 12),
        (({"ann": "1", "bob": "1", "cid": "1"}, 5, "other"), 30),
        # what is beyond the deals of a bot that has left is counted once, with the bot
        (({"ann": "1", "bob": "3"}, 4), 30),
    ],
)
def test_what_changed_is_hidden(run: Store, after: tuple[object, ...], hidden: int) -> None:
    bring_up(run, {"ann": "1", "bob": "1", "cid": "1"}, 5)
    bring_up(run, *after)  # type: ignore[arg-type]
    assert run.count_all() - run.count() == hidden
    assert run.faults() == []
