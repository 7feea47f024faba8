"""What has happened since a person last looked, in words and as stones to mark."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.game.engine import State
from arena.game.event_log import Event
from arena.results.formats.text import shortened
from arena.terminal.scene import Scene, scene_of_view
from arena.text import one_line


@dataclass
class News:
    """Follows a game as one seat sees it. `names` are those of seat 0 and seat 1."""

    names: tuple[str, str]
    seat: int
    events: list[Event] = field(default_factory=list)
    _told: int = 0

    def scene(self, state: State) -> Scene:
        """The table now; the stones of what is news are marked."""
        fresh = state.events(self.seat, self._told)
        self.events += fresh
        self._told += len(fresh)
        return scene_of_view(state.view(self.seat), self.names, self.stones)

    @property
    def stones(self) -> frozenset[int]:
        """The stones that the news is about."""
        return frozenset(event.stone for event in self.events if event.stone is not None)

    def text(self) -> str:
        """The news in a line, by player."""
        parts: list[str] = []
        seat = -1
        for event in self.events:
            name = shortened(one_line(self.names[event.seat]), 24)
            parts.append(f"; {name}: {event.text}" if event.seat != seat else f", {event.text}")
            seat = event.seat
        return "".join(parts)[2:]

    def clear(self) -> None:
        """All of it has been seen."""
        self.events.clear()
