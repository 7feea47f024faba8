"""Playing a tournament: schedule x executor -> store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.match.config import TournamentConfig
from arena.match.progress import Progress


@dataclass(frozen=True)
class RunReport:
    """What a call of `run_tournament` has done.

    `played` games were stored by this call, `done` are in the store now, `total` are planned. `forfeits`
    counts the forfeited games of the whole run. `workers_lost` are worker processes that died or had to be
    stopped. A run that was interrupted has `done < total` and goes on with `resume=True`.
    """

    folder: Path
    seed: int
    played: int
    done: int
    total: int
    seconds: float
    interrupted: bool
    forfeits: int
    workers_lost: int = 0


def run_tournament(
    config: TournamentConfig,
    folder: Path,
    *,
    workers: int,
    executor: str = "local",
    scheduler: str | None = None,
    progress: Progress | None = None,
    resume: bool = False,
) -> RunReport:
    """Play what is left of a tournament and store it in `folder`; raises ArenaError for what a person can mend.

    A config without a seed gets one: that of the run in the folder if there is one, else a new one (see
    `RunReport.seed`). With `resume` there must be a run in the folder.
    """
    raise NotImplementedError  # lands in the next commits
