"""Games of people against bots: the server's side. In the quick tests a thread plays in the place of a process."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.requests import Request

from arena.bots.processes import children, descendants, is_running
from arena.game.cards import COLOURS
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import parse_record, replay
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.league.store import open_league
from arena.results.positions import decisions
from arena.results.records import game_of
from arena.terminal.input import News
from arena.tournament.games import GameResult
from arena.web import play_child as child
from arena.web import web_games as tables
from arena.web.backend import WebSettings, client_address
from arena.web.play_child import choices_shown, hint_shown, table_shown
from arena.web.web_games import PlayLimits
from tests.bots.processes.waiting import wait_for
from tests.league.leagues import FIRST, enter, league, played
from tests.web.conftest import Person, Web, served_here
from tests.web.served import served

PATIENCE_S = 60.0
LATER = "import os, time\ndef act(view, moves):\n    if view.turns > 3:\n        {}\n    return moves[0]\n"
SECRET, DIES, HANGS = map(LATER.format, ("raise ValueError('the secret reason')", "os._exit(3)", "time.sleep(99)"))
BROKEN = "raise RuntimeError('the secret reason')\n"


class Thread:
    """What a process of asyncio does, done by a thread."""

    def __init__(self) -> None:
        ends = os.pipe(), os.pipe()
        self.stdin, self.stdout = os.fdopen(ends[0][1], "wb", 0), self
        answers, questions = os.fdopen(ends[0][0], encoding="utf-8"), os.fdopen(ends[1][1], "w", encoding="utf-8")
        self._told = os.fdopen(ends[1][0], "rb")

        def run() -> None:
            with answers, questions:
                child.play_table(child.GameOrder(**json.loads(answers.readline())), answers, questions)

        self._thread = threading.Thread(target=run)
        self._thread.start()

    async def readline(self) -> bytes:
        return await asyncio.to_thread(self._told.readline)

    async def wait(self) -> None:
        await asyncio.to_thread(self._thread.join)
        self._told.close()

    def kill(self) -> None:
        """It ends as its stdin does."""


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play in threads, and give back the input that bots in two of them may have left closed."""
    monkeypatch.setattr(sys, "stdin", sys.stdin)

    async def start() -> Any:
        return Thread()

    monkeypatch.setattr(tables, "_start", start)


class Play:
    """Somebody at a table."""

    def __init__(self, person: Person, bot: str = "one", **values: str) -> None:
        self.person = person
        self.path = person.post("/play", bot=bot, **({"begins": "you"} | values))
        self.shown: dict[str, Any] = {}
        self.look()

    def again(self, number: str) -> None:
        """Begin a game from the position before a move of this one, which is over."""
        self.path = "/" + self.person.post(self.path, again=number).lstrip("./")
        self.shown = {}
        self.look()

    def look(self) -> str:
        """What the server sends when it is the person's turn, or the game is over; as text."""
        end = time.monotonic() + PATIENCE_S
        while self.shown.get("kind", "waits") == "waits":
            self.shown = [self.shown, *self.messages(f"?after={self.shown.get('number', 0)}")][-1]
            assert time.monotonic() < end, self.shown
        return json.dumps(self.shown, ensure_ascii=False)

    def messages(self, query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.person.get(self.path + query))
        return found

    @property
    def page(self) -> str:
        return self.look()

    @property
    def lines(self) -> int:
        """The number of lines of moves to choose from."""
        found: int = self.shown.get("lines", 0)
        return found

    def post(self, **values: Any) -> str:
        answer = self.person.post(self.path, 200, **{"number": str(self.shown["number"])} | values)
        self.shown = [self.shown | {"kind": "waits"}, *json.loads(answer)][-1]
        return self.look()

    def to_the_end(self) -> str:
        """Make moves until there are none."""
        while self.lines:
            self.post(move=self.lines - 1)
        return self.page


def cards_of(shown: Mapping[str, Any]) -> set[str]:
    """The clan cards that lie open."""
    held = (str(text).split() for key, text in shown["state"].items() if re.fullmatch("h[ab]|[ab][1-9]|d[ab]", key))
    return {card for cards in held for card in cards if card[0] in COLOURS}


def record_of(game: Play) -> str:
    """The record that the viewer shows of a game that is over."""
    found = re.search(r'<pre tabindex="0">(schotten/1 .*?)</pre>', game.person.get(f"{game.path}/replay"), re.S)
    assert found is not None
    return unescape(found[1])


@pytest.mark.usefixtures("threads")
def test_a_whole_game_is_played_and_seen_and_its_pages_hold_no_secret(web: Web) -> None:
    ann = web.person("Ann")
    game = Play(ann, claims="1")
    assert 'id="data-table"' in ann.get(game.path)
    assert ann.client.get(f"{game.path}/replay").status_code == 404  # it would tell the cards
    seen, before = [game.shown], game.shown["number"]
    game.post(move=0)
    seen.append(game.shown)
    ann.post(game.path, 200, number=before, move="0")  # a second click: nothing happens
    assert game.messages(f"?after={before}")[-1] == seen[-1]
    while game.lines:
        game.post(move=0)
        seen.append(game.shown)
    assert re.search(r"You (win|lose)|A draw", game.page)
    text = record_of(game)
    record = parse_record(text)
    replay(record)
    for shown, known in zip(seen[:-1], _seen(game_of(text), int(record.deal.starter))):
        assert cards_of(shown) <= known  # neither the opponent's hand nor what comes next
        assert str(record.deal_text.partition(":")[0]) not in json.dumps(shown)
    assert 'id="data-games"' in ann.get(f"{game.path}/replay")
    bob = web.person("Bob")
    for path in (game.path, f"{game.path}/replay"):
        assert bob.client.get(path).status_code == 404, path
    bob.post(game.path, 404, resign="1")
    with open_league(web.folder, write=False) as league:
        assert league.count_games() == 8  # it counts nowhere


@pytest.mark.usefixtures("threads")
def test_a_move_that_cost_much_can_be_tried_again(web: Web) -> None:
    game = Play(web.person("Ann"))
    assert "when the game is over" in game.person.post(game.path, 404, again="1")
    game.to_the_end()
    record = parse_record(record_of(game))
    end = replay(record)
    assert {card for seat in (0, 1) for card in end.hand_of(seat) if card[0] in COLOURS} <= cards_of(game.shown)
    number = game.shown["costly"][0]["number"]
    game.again(number)
    assert game.shown["number"] == 1  # what came before is not played again
    assert "Played again from an earlier game" in game.person.get(game.path)
    game.post(resign="1")
    other = parse_record(record_of(game))
    assert other.moves[: int(number) - 1] == record.moves[: int(number) - 1]
    assert other.deal == record.deal


def _seen(game: GameResult, seat: int) -> Iterator[set[str]]:
    """Yield the clan cards that a seat can know of at each of its decisions."""
    for one in decisions(game):
        if one.seat == seat and len(one.legal) > 1:
            at = one.before
            table = [card for player in (0, 1) for stone in range(1, 10) for card in at.side(player, stone)]
            yield {*at.hand_of(seat), *at.row(0), *at.row(1), *table}


@pytest.mark.usefixtures("threads")
def test_only_the_bot_is_on_the_clock(tmp_path: Path) -> None:
    with served_here(tmp_path / "league", WebSettings(level="none"), clock={"move_ms": 0, "bank_ms": 1000}) as web:
        game = Play(web.person("Ann"))
        time.sleep(1.1)
        assert '"decision"' in game.post(move="0")


@pytest.mark.usefixtures("threads")
def test_a_hint_comes_with_each_decision_and_is_one_of_its_lines(web: Web) -> None:
    """It cannot come too late, nor change the number of the move that follows it."""
    game = Play(web.person("Ann"))
    while game.lines:
        chosen = game.shown["choices"]
        for key in game.shown["hint"]:
            chosen = chosen[key]
        assert isinstance(chosen, int)
        game.post(move=chosen)


@pytest.mark.usefixtures("threads")
def test_giving_up_and_one_game_at_a_time(web: Web) -> None:
    ann = web.person("Ann")
    game = Play(ann)
    assert "resign your current game" in ann.post("/play", 429, bot="two")
    assert "continue against one v1" in ann.get("/play")
    assert "You gave up the game" in game.post(resign="1")
    assert " resigned" in record_of(game)
    assert Play(ann, "two", begins="bot").path != game.path
    assert ann.client.get(game.path).status_code == 404  # the last one is forgotten


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("play", [PlayLimits(games=1), PlayLimits(games=0)])
def test_tables_are_bounded(web: Web, play: PlayLimits) -> None:
    ann, bob = web.person("Ann"), web.person("Bob")
    if play.games == 1:
        Play(ann)
    text = "as many games are being played" if play.games else "switched off"
    assert text in bob.post("/play", 429, bot="one").lower()
    assert text in bob.get("/play").lower()


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("play", [PlayLimits(idle_s=1.0)])
def test_a_game_in_which_nobody_moves_ends(web: Web) -> None:
    ann = web.person("Ann")
    game = Play(ann)
    time.sleep(1)
    assert wait_for(lambda: ann.client.get(game.path).status_code == 404, PATIENCE_S)
    assert wait_for(lambda: not list((web.folder / tables.FOLDER).glob("*")))


@pytest.mark.usefixtures("threads")
def test_guests_play_where_they_may(web: Web) -> None:
    guests = []
    for _ in range(2):
        client, stranger = web.new(), web.new()
        for browser in (client, stranger):
            browser.cookies.set("arena-guest", "chosen-by-eve")
        guests.append(Play(Person(client)))
        assert stranger.get(guests[-1].path).status_code == 404  # whoever has chosen the cookie of a guest sees nothing
    assert guests[0].person.client.get(guests[1].path).status_code == 404
    client = web.new()
    found = re.search(r"from your address", client.get("/play").text)
    assert found  # two from one address
    guests[0].post(resign="1")
    assert guests[0].person.client.get("/me", follow_redirects=False).status_code == 303


def test_an_ipv6_network_counts_as_one_address() -> None:
    """Everybody has 2^64 of them."""
    for host, address in (
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("testclient", "testclient"),
    ):
        assert client_address(Request({"type": "http", "client": (host, 1)})) == address


@pytest.mark.parametrize("play", [PlayLimits(guests=False)])
def test_without_guests_nobody_signed_out_plays(web: Web) -> None:
    client = web.new()
    assert "Sign in</a> to play" in client.get("/play").text
    assert client.post("/play", data={"bot": "one"}).status_code == 401


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("source", [SECRET, BROKEN])
def test_what_a_bot_has_raised_is_for_its_author(web: Web, source: str) -> None:
    with open_league(web.folder) as league:
        enter(league, "bad", source=source)
    bad = Play(web.person("Ann"), "bad")
    page = bad.to_the_end()
    assert ("forfeits by exception. You win" in page) == (source == SECRET)
    assert bad.shown["kind"] == ("over" if source == SECRET else "failed")
    assert "secret reason" not in page
    if source == SECRET:
        assert "secret reason" not in record_of(bad)
    assert "secret reason" in Play(web.person("Boss", admin=True), "bad").to_the_end()


@pytest.mark.usefixtures("threads")
def test_a_bot_finds_its_files_in_a_league_below_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots in processes are started in folders of their own, where a relative path leads nowhere."""
    orders: list[child.GameOrder] = []
    monkeypatch.setattr(child, "play_table", lambda order, *_: orders.append(order))
    monkeypatch.chdir(tmp_path)
    with served_here(Path("league"), WebSettings()) as web:
        web.person("Ann").post("/play", bot="one")
    assert Path(orders[0].bot_folder).is_absolute()


@pytest.mark.parametrize("name", ["iello-base", "bga-tactical", "battle-line-expert"])
def test_every_decision_of_every_rule_set_can_be_shown(name: str) -> None:
    rules, rng = load_rules(name), Rng(5)
    state = State(rules, make_deal(rules, 3, 0), (False, False))
    news = [News(("You", "bot"), 0), News(("bot", "You"), 1)]
    asked = set()
    while moves := state.legal_moves():
        seat = state.to_move
        view = state.view(seat)
        shown = table_shown(state, news[seat].look(state), news[seat])
        choices, lines = choices_shown(view, moves)
        paths = dict(_paths(choices))
        assert sorted(paths) == list(range(len(lines)))
        assert {line[0] for line in lines} == {*moves}
        assert hint_shown(view, moves) in [[], *paths.values()]
        for number, keys in paths.items():
            after = view.sample(Rng(1))
            for step, move in enumerate(lines[number]):
                while step and len(forced := after.legal_moves()) == 1:
                    after.apply(forced[0])  # the referee makes it without asking
                assert move in after.legal_moves()
                after.apply(move)
            held = [key[5:] for key in keys if key.startswith("hand:")]
            assert {*held} <= {*shown["state"]["ha"].split()}
            asked |= {key.partition(":")[0] for key in keys}
        assert "hb" not in shown["state"]
        state.apply(rng.choice(moves))
    assert {"hand", "side", "stone", "done"} <= asked
    assert ({"deck", "card", "as"} <= asked) == (name == "bga-tactical")


def _paths(choices: Mapping[str, Any], keys: tuple[str, ...] = ()) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbers of all lines with their clicks."""
    for key, chosen in choices.items():
        if isinstance(chosen, int):
            yield chosen, [*keys, key]
        else:
            yield from _paths(chosen, (*keys, key))


# ---------------------------------------------------------------- with processes


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "kind"), [(DIES, "crash"), (HANGS, "timeout"), (FIRST, "")], ids=["dies", "hangs", "plays"]
)
def test_a_bot_in_its_sandbox_ends_its_game_and_nothing_else(sandboxed: Web, source: str, kind: str) -> None:
    with open_league(sandboxed.folder) as league:
        enter(league, "bad", source=source)
    game = Play(sandboxed.person("Ann"), "bad")
    page = game.to_the_end()
    assert game.shown["kind"] == "over"
    assert (f"forfeits by {kind}. You win" in page) == bool(kind)
    assert_nothing_is_left(sandboxed)


@pytest.mark.slow
@pytest.mark.process
def test_a_process_that_is_killed_ends_its_game_with_a_word(sandboxed: Web) -> None:
    game = Play(sandboxed.person("Ann"), "one")
    pids = [pid for pid in children(os.getpid()) if b"arena.web.play_child" in cmdline(pid)]
    assert len(pids) == 1
    bots = descendants(pids[0])
    os.kill(pids[0], signal.SIGKILL)
    assert wait_for(lambda: "ended early" in game.person.get(game.path), PATIENCE_S)
    assert wait_for(lambda: not any(map(is_running, bots)), PATIENCE_S)
    assert_nothing_is_left(sandboxed)


@pytest.mark.slow
@pytest.mark.process
def test_a_game_comes_after_the_league(sandboxed: Web) -> None:
    """Workers are 5 behind the server (nice), games of people 10, in sessions of their own, too."""
    Play(sandboxed.person("Ann"), "one")
    pids = [pid for pid in children(os.getpid()) if b"arena.web.play_child" in cmdline(pid)]
    here = os.getpriority(os.PRIO_PROCESS, 0)
    for pid in (*pids, *descendants(pids[0])):
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(here + 10, 19)  # the lowest priority there is
        if (session := Path(f"/proc/{pid}/autogroup")).exists():
            assert session.read_text().endswith(f"nice {min(here + 10, 19)}\n")


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores are not known here")
def test_a_game_leaves_the_cores_of_workers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_NO_PINNING", raising=False)
    chosen: list[set[int]] = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: chosen.append(set(cores)))
    for held, wanted in (({0}, [{1, 2}]), ({0, 1, 2}, [])):
        monkeypatch.setattr(child, "usable_cores", lambda: [0, 1, 2])
        monkeypatch.setattr(child, "core_held", held.__contains__)
        child.avoid_held_cores()
        assert chosen == wanted
        chosen.clear()


@pytest.mark.slow
@pytest.mark.process
def test_a_server_that_is_killed_leaves_no_game(tmp_path: Path) -> None:
    folder = tmp_path / "league"
    with league(folder, isolation="sandbox", clock={"move_ms": 2000}) as made:
        one, two = enter(made, "one", "two")
        played(made, [(one, two, [2, 1, 0, 2])])
    with served(folder, 0) as server:
        with httpx2.Client(base_url=server.url, timeout=60) as client:
            client.post("/sign-in", data={"token": server.token("Ann")})
            path = client.post("/play", data={"bot": "one", "begins": "you"}).headers["location"]
            shown = {"kind": "waits", "number": 0}
            while shown["kind"] == "waits":
                shown = [shown, *client.get(f"{path}?after={shown['number']}").json()][-1]
            assert shown["kind"] == "decision"
        assert server.process is not None
        left = [pid for pid in descendants(server.process.pid) if is_running(pid)]
        assert len(left) > 2
        server.kill()
        assert wait_for(lambda: not any(map(is_running, left)), PATIENCE_S)
        assert list((folder / tables.FOLDER).glob("*"))
        server.start()
        assert not list((folder / tables.FOLDER).glob("*"))


def cmdline(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def assert_nothing_is_left(web: Web) -> None:
    """No process of a game, no file of a bot."""
    assert wait_for(
        lambda: not any(b"arena.web.play_child" in cmdline(pid) for pid in children(os.getpid())), PATIENCE_S
    )
    assert wait_for(lambda: not list((web.folder / tables.FOLDER).glob("*")), PATIENCE_S)
