"""A run that a test kills: `python -m tests.tournament.store.writer FOLDER DEALS` reports each chunk on a line."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.tournament.formats.round_robin import round_robin
from tests.tournament.runner.fake import chunks, play_pairs
from tests.tournament.store.stored import BOTS, begin


def main(folder: str, deals: int) -> None:
    schedule = round_robin(BOTS, 2 * deals)
    store = begin(Path(folder))
    store.begin_session({"workers": 0})
    tasks = (store.numbered(task) for task in schedule.tasks(store.progress()))
    for chunk in chunks(tasks, 4):
        new = store.add([play_pairs(chunk)])
        print(chunk.tasks[0].pairing, chunk.tasks[0].deal, new, flush=True)
    store.close()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
