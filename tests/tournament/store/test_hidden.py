"""Games that no table shows."""

from __future__ import annotations

from typing import Any

import pytest

from arena.tournament.games import Chunk
from arena.tournament.store.reader import BotEntry
from arena.tournament.store.writer import Store
from tests.tournament.runner.fake import pair_tasks, play_pairs
from tests.tournament.store.stored import bring_up


def play(store: Store, bots: dict[str, str], deals: int, **more: Any) -> None:
    """Bring a run of bots (name: source) up to date, and play all its games."""
    bring_up(store, entries=[BotEntry(name, name, source) for name, source in bots.items()], deals=deals, **more)
    store.add([play_pairs(Chunk(0, tuple(map(store.numbered, pair_tasks([*bots], range(deals))))))])


@pytest.mark.parametrize(
    ("bots", "deals", "more", "hidden"),
    [
        ({"ann": "1", "bob": "2", "cid": "1"}, 5, {}, 20),
        ({"ann": "1", "bob": "1"}, 5, {}, 20),
        ({"ann": "1", "bob": "1"}, 5, {"left_out": {"cid": "no file"}}, 20),
        ({"ann": "1", "bob": "1", "cid": "1"}, 3, {}, 12),
        ({"ann": "1", "bob": "1", "cid": "1"}, 5, {"design": "other"}, 30),
        # what is beyond the deals of a bot that has left is counted once, with the bot
        ({"ann": "1", "bob": "3"}, 4, {}, 30),
    ],
)
def test_what_changed_is_hidden(
    store: Store, bots: dict[str, str], deals: int, more: dict[str, Any], hidden: int
) -> None:
    play(store, {"ann": "1", "bob": "1", "cid": "1"}, 5)
    play(store, bots, deals, **more)
    assert store.count_all() - store.count() == hidden
    assert store.faults() == []
