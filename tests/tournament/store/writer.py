"""A run that a test kills: `python -m tests.tournament.store.writer FOLDER DEALS` reports each chunk on a line."""

from __future__ import annotations

import sys

from arena.tournament.formats.round_robin import round_robin
from arena.tournament.store.reader import BotEntry
from arena.tournament.store.writer import open_store
from tests.tournament.runner.fake import CONFIG, chunks, play_pairs

BOTS = ["ann", "bob", "cid"]


def main(folder: str, deals: int) -> None:
    schedule = round_robin(BOTS, 2 * deals)
    store = open_store(folder, CONFIG, [BotEntry(name, name, f"hash of {name}") for name in BOTS])
    store.begin_session({"workers": 0})
    for chunk in chunks(schedule.tasks(store.progress()), 4):
        new = store.add([(chunk, play_pairs(chunk))])
        print(chunk.tasks[0].pairing, chunk.tasks[0].deal, new, flush=True)
    store.close()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
