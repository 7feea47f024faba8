"""Submissions that are written to harm whoever checks them: the check goes on, bounded, and says what it left out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.check import CheckReport, apart, check_bot, hints
from arena.check.apart import read_source
from arena.check.care import LINE, LINES, SENTENCE, Care, bounded
from arena.check.games import ApartTable
from arena.check.places import place_in
from arena.check.plan import Progress, Schedule
from arena.check.reading import read_files
from arena.check.report import ERROR, Finding
from arena.check.source import LONGEST, MOST, Source, from_json, to_json
from arena.isolation.process import CannotStart
from arena.players.spec import find_bot
from tests.check.checked import BOTS, checked, found
from tests.isolation.inside import need_sandbox
from tests.runner.runs import children

ACT = "import time\ndef act(view, moves):\n    time.time()\n    return moves[0]\n"


def lay(folder: Path, text: str, **helpers: str) -> Path:
    for name, other in helpers.items():
        (folder / f"{name}.py").write_text(other)
    path = folder / "mine.py"
    path.write_text(text)
    return path


def read(path: Path, level: str = "process") -> tuple[Source, list[str]]:
    """What another process reads, and what it leaves out."""
    left_out: list[str] = []
    return read_source(find_bot(str(path)), level, Care(left_out)), left_out


def quick(path: Path, **more: Any) -> CheckReport:
    settings: dict[str, Any] = {"level": "process", "rules": ("base",), "games": 4}
    return check_bot(str(path), **settings | more)


# ---------------------------------------------------------------- sources that are hard on their reader


def _calling() -> str:
    """Methods that call each other in a long line."""
    lines = [f"    def m{at}(self): self.m{at + 1}()" for at in range(2000)]
    return "\n".join(["class _Long:", "    def begin(self, setup): self.m0()", *lines])


HARD = {
    "dotted": f"if 0:\n    a{'.a' * 1200}()\n",
    "a set": f"if 0:\n    x = {' | '.join('a' * 1500)}\n    for y in {' - '.join('a' * 1500)}: pass\n",
    "written": f"def f(self):\n    x = {{1}}\n    x{'.a' * 1200} = 1\n    for y in x{'.a' * 1200}: 0\n",
    "parameter": "class _A:\n    def __init__(self, x=" + "0x" + "f" * 5000 + "): pass\n",
    "number": f"if 0:\n    for x in {{0x{'f' * 5000}}}: pass\n",
    "import": f"if 0:\n    import {'a' * 300}\n",
    "calling": _calling(),
    "except": f"try:\n    import json\nexcept a{'.a' * 1200}:\n    pass\n",
}


@pytest.mark.parametrize("name", HARD)
def test_depth_and_length_take_nothing_away(tmp_path: Path, name: str) -> None:
    """The rest of the file is read all the same."""
    source = read_files(lay(tmp_path, ACT + HARD[name]))
    assert source.left_out == ()
    assert "time.time() reads a clock" in source.chance[0].text


def test_what_the_parser_does_not_take_is_named(tmp_path: Path) -> None:
    path = lay(tmp_path, "import deep, none\n" + ACT, deep=f"x = {'-' * 20_000}1\n", none="x = = 3\n")
    source, left_out = read(path)
    assert left_out == ["source of deep.py: it is nested too deeply, or too large"]
    assert source.chance


def test_what_is_too_deep_after_all_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(tree: object) -> Any:
        raise RecursionError

    path = lay(tmp_path, "import time, helper\n" + ACT, helper="X = 1\n")
    for place in ("_threads", "leaks"):
        with monkeypatch.context() as patch:
            patch.setattr(f"arena.check.reading.{place}", deep)
            assert "mine.py: it is nested too deeply, or too large" in read_files(path).left_out


def test_many_ways_to_one_class(tmp_path: Path) -> None:
    lines = ["class _C0:\n    def act(self, view, moves): return moves[0]"]
    for at in range(1, 41):
        bases = ", ".join(f"_C{one}" for one in reversed(range(at)))
        lines.append(f"class {'_' * (at < 40)}C{at}({bases}): pass")
    source, left_out = read(lay(tmp_path, "\n".join(lines)))
    assert left_out == []
    assert source.nature.entry == "class C40"
    assert source.nature.hooks == ("act",)


def test_bases_in_a_circle_and_in_order(tmp_path: Path) -> None:
    text = "class _A(_B):\n    def end(self, r): pass\nclass _B(_A):\n    def __init__(self, b): pass\n"
    text += "class _D:\n    def __init__(self, d): pass\nclass Mine(_A, _D):\n    def act(self, view, moves): pass\n"
    nature = read_files(lay(tmp_path, text)).nature
    assert nature.hooks == ("act", "end")
    assert nature.parameters == ("b",)


def test_large_files_are_not_parsed(tmp_path: Path) -> None:
    path = lay(tmp_path, "import large\n" + ACT, large="a\n" * 150_000)
    source, left_out = read(path)
    assert left_out == ["source of large.py: more than 256 KiB, which is the most that is read of a file"]
    assert source.chance
    names = [f"part{at}" for at in range(6)]
    path = lay(tmp_path, f"import {', '.join(names)}\n" + ACT, **dict.fromkeys(names, f"#{'x' * 250_000}\n"))
    found = read_files(path)
    assert found.left_out[0].startswith("part4.py: more than 1024 KiB")
    assert len(found.left_out) == 2


def test_many_files_are_not_read(tmp_path: Path) -> None:
    names = [f"part{at}" for at in range(60)]
    path = lay(tmp_path, f"import {', '.join(names)}\n" + ACT, **dict.fromkeys(names, "import time; time.time()\n"))
    source = read_files(path)
    assert source.left_out == ("imported files beyond the first 50",)


def test_a_flood_of_places_and_long_texts(tmp_path: Path) -> None:
    calls = "id(0)\n" * 1000 + f"open('{'a b ' * 20_000}')\nopen('x\\x1b\\n\\ud800')\n"
    calls += f"import random\nrandom.{'a' * 5000}()\n"
    imports = "".join(f"import nowhere{at}\n" for at in range(500))
    source = read_files(lay(tmp_path, calls + imports + ACT))
    assert len(source.chance) == MOST
    assert len(source.foreign) == MOST
    assert len(source.relative) == 2
    uses = [*source.chance, *source.relative, *source.global_chance]
    assert all(len(use.text) <= LONGEST and use.text.isprintable() for use in uses)
    assert len(source.global_chance[0].text) == LONGEST
    assert len(hints.pitfalls(source)) < 40
    assert from_json(to_json(source)) == source


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "secret.py").write_text("open('password')\n")
    (tmp_path / "bot" / "helper.py").symlink_to(tmp_path / "secret.py")
    source, left_out = read(lay(tmp_path / "bot", "import helper\n" + ACT))
    assert source.relative == ()
    assert left_out == ["source of helper.py: it leads out of the bot's folder"]


# ---------------------------------------------------------------- the process that reads


def test_the_sandbox_reads_the_same(tmp_path: Path) -> None:
    need_sandbox()
    path = BOTS / "pitfalls.py"
    assert read(path, "sandbox") == read(path, "process") == (read_files(path), [])


def test_a_colon_in_a_path_names_no_class(tmp_path: Path) -> None:
    folder = tmp_path / "a:b"
    folder.mkdir()
    source, left_out = read(lay(folder, ACT + "class Other:\n    def act(self, view, moves): pass\n"))
    assert (source.nature.entry, left_out) == ("function act", [])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import time; time.sleep(60)", "takes more than 0.5 seconds"),
        ("x = bytearray(700 << 20)", "its reader has failed, it ended itself with exit code 1: MemoryError"),
        ("import os; os.abort()", "its reader has failed, it was killed by SIGABRT"),
        ("print('[' * 90000)", "the source could not be looked at"),
        ("print('{}')", "the source could not be looked at: ValueError"),
        ("while True: print('x' * 60000, end='')", "its reader says too much"),
    ],
)
def test_a_reader_that_fails_is_named_and_the_check_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    monkeypatch.setattr(apart, "_BOOT", code)
    if "sleep" in code:
        monkeypatch.setattr(apart, "READING_S", 0.5)
    before = children(os.getpid())
    report = quick(lay(tmp_path, ACT), games=2)
    assert any(words in line for line in report.left_out), report.left_out
    assert report.loaded
    assert report.games == 2
    assert f"Not looked at:\n  {report.left_out[0]}" in report.text()
    assert children(os.getpid()) == before


def test_what_the_reader_says_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lay(tmp_path, ACT)
    good = json.loads(to_json(read_files(path)))
    said = good | {"state": [["/etc/passwd", 1, "x"], [f"{tmp_path}/../x.py", 1, "x"], [str(path), 1, "x"]]}
    monkeypatch.setattr(apart, "_BOOT", f"print({json.dumps(said)!r})")
    assert [use.file for use in read(path)[0].state] == [str(path)]
    for wrong in ({"state": [[str(path), 1, "x" * 1000]]}, {"state": [[str(path), -1, "x"]]}, {"entries": 3},
                  {"nature": ["class A\x1b", [], []]}, {"prints": [[str(path), 1, "x"]] * 200}):  # fmt: skip
        with pytest.raises(ValueError):  # noqa: PT011
            from_json(json.dumps(good | wrong))


def test_a_reader_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(launch: object) -> Any:
        raise CannotStart("no more processes")

    monkeypatch.setattr(apart, "BotProcess", start)
    left_out = read(lay(tmp_path, ACT))[1]
    assert left_out == ["the source could not be looked at: CannotStart: no more processes"]


# ---------------------------------------------------------------- forged words


FORGE = r"""
import gc, os
mark = next((one.mark for one in gc.get_objects() if type(one).__name__ == '_Listener'), None)
if mark is not None:
    for file in (b'/etc/passwd', b'HERE/../secret.py', b'HERE/mine.py\\u001b', b'HERE/mine.py'):
        file = file.replace(b'HERE', os.path.dirname(__file__).encode())
        line = b'["network", "socket.connect", "evil.example", "' + file + b'", 7, false]'
        os.write(2, b'\x1e' + mark.encode() + line + b'\n')
def act(view, moves):
    return moves[0]
"""


def test_forged_lines_name_nothing_outside_of_the_folder(tmp_path: Path) -> None:
    need_sandbox()
    path = lay(tmp_path, FORGE)
    report = quick(path, level="sandbox", games=2)
    assert {one.file for one in report.findings} == {str(path)}
    assert {(one.code, one.line) for one in report.findings} == {("tries network", 7), ("tries spying", 3)}
    assert report.attempts == 2


@pytest.mark.parametrize(
    "place",
    [
        '"{}/../secret.py", line 3',
        '"{}/a/../../secret.py", line 3',
        '"{}/mine.py", line ' + "9" * 5000,
        '"{}/mine.py\x1b[2J", line 9',
        '"{}/site-packages/x.py", line 9',
        '"/etc/passwd", line 1',
    ],
)
def test_forged_tracebacks_name_nothing_outside_of_the_folder(tmp_path: Path, place: str) -> None:
    path = tmp_path / "mine.py"
    text = f"x\n  File {place.format(tmp_path)}\nValueError: x"
    assert place_in(text, str(path)) == (None, None)
    first = f'  File "{tmp_path}/./mine.py", line 4\n'
    assert place_in(first + text, str(path)) == (str(path), 4)


# ---------------------------------------------------------------- between games


@pytest.fixture
def course(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens in a check, in order: games, and what is asked and told between them."""
    happened: list[str] = []

    def noting(what: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            happened.append(what)
            return method(*args)

        return call

    monkeypatch.setattr(ApartTable, "game", noting("game", ApartTable.game))
    monkeypatch.setattr(Schedule, "over", noting("over?", Schedule.over))
    monkeypatch.setattr(Schedule, "say", noting("told", Schedule.say))
    return happened


@pytest.mark.parametrize("bot", ["by_set", "by_unseeded", "leak_self", "fine"])
def test_between_any_two_games_it_is_told(course: list[str], bot: str) -> None:
    check_bot(str(BOTS / f"{bot}.py"), level="process", rules=("base",), games=8, strength=True)
    assert course.count("game") > 16
    games = [at for at, what in enumerate(course) if what == "game"]
    between = [course[one:two] for one, two in pairwise(games)]
    assert all("told" in one for one in between)
    assert sum("over?" in one for one in between) > len(between) / 2


def test_many_games_at_once_can_be_stopped() -> None:
    class Stop(Exception):
        pass

    told: list[Progress] = []

    def stop(progress: Progress) -> None:
        told.append(progress)
        if sum(one.doing == "many games at once" for one in told) > 6:
            raise Stop

    before = children(os.getpid())
    with pytest.raises(Stop):
        check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=12, report=stop)
    assert children(os.getpid()) == before


def test_when_time_is_up_each_part_plays_the_least(course: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Schedule, "over", lambda schedule: True)
    monkeypatch.setattr(Schedule, "room", lambda schedule: True)
    report = check_bot(str(BOTS / "by_set.py"), level="process", rules=("base",), games=40)
    assert report.games == 2
    assert course.count("game") <= 2 + 2 + 2 + 2 + 1
    fine = check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=12)
    assert fine.games == 2


def test_time_that_runs_out_while_many_games_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def over(schedule: Schedule) -> bool:
        return schedule._now.phase == "together"

    monkeypatch.setattr(Schedule, "over", over)
    report = check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=12)
    assert report.left_out == ("base: many games at once, for want of time (--seconds)",)
    assert report.forgets.yes


def test_where_time_was_too_short_to_tell_why(monkeypatch: pytest.MonkeyPatch) -> None:
    report = checked("by_set")
    assert "It hangs on the order of sets (or on hash())" in found(report, "not repeatable").text
    monkeypatch.setattr("arena.check.trials.Trials._same_with_steady_hashes", lambda *args: None)
    report = check_bot(str(BOTS / "by_set.py"), level="process", rules=("base",), games=12)
    assert "the order of sets, or on something else" in found(report, "not repeatable").text
    assert report.forgets.yes is None


# ---------------------------------------------------------------- texts, and failures of ours


def test_texts_are_bounded_and_printable() -> None:
    one = bounded(Finding(ERROR, "load", "a\x1b\n" * 999, "b\u202e" * 999, details=("c\x07" * 999,) * 99))
    assert len(one.text) == len(one.remedy) == SENTENCE
    assert len(one.details) == LINES
    assert all(len(line) == LINE for line in one.details)
    assert all(text.isprintable() for text in (one.text, one.remedy, *one.details))


NOISY = r"""
class NOISY:
    def begin(self, setup):
        try:
            open("/nowhere\x1b[2J\u202e")
        except OSError:
            pass
    def act(self, view, moves):
        raise ValueError("\ud800\x1b[2J" + "x" * 1000 + "\n\x1b]0;title\x07" * 200 + "y" * 1000)
""".replace("NOISY", "N" + "o" * 500)


def test_a_report_of_a_noisy_bot(tmp_path: Path) -> None:
    report = quick(lay(tmp_path, NOISY))
    assert {one.code for one in report.findings} == {"forfeit exception", "tries reads"}
    assert any(line.endswith("y…") for one in report.findings for line in one.details)
    for one in report.findings:
        texts = [one.text, one.remedy, *one.details]
        assert all(len(text) <= SENTENCE and text.isprintable() for text in texts)
        assert len(one.details) <= LINES
    assert len(report.nature.entry) <= LONGEST
    json.dumps(report.to_dict(), ensure_ascii=False).encode()
    report.text().encode()


def failing(*args: object, **more: object) -> Any:
    raise KeyError("\x1bunthought of")


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("judge._slow", "the time it takes"),
        ("judge._repeating", "differences between games"),
        ("judge.speed_of", "the time it takes"),
        ("hints.forbidden", "what it tries"),
        ("hints.pitfalls", "pitfalls in the source"),
        ("trials.difference", "a game that was played again"),
        ("games.ApartTable.together", "further games"),
        ("trials.Scale", "further games"),
        ("check.start_time", "the time to load"),
    ],
)
def test_a_failure_of_ours_is_no_end_of_the_check(monkeypatch: pytest.MonkeyPatch, place: str, what: str) -> None:
    monkeypatch.setattr(f"arena.check.{place}", failing)
    report = check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=12)
    assert f"{what} could not be looked at: KeyError: '\\x1bunthought of'" in report.left_out
    assert report.rules[0].games == 12
    assert report.text()


@pytest.mark.parametrize("place", ["forfeits._cause", "forfeits._finding"])
def test_a_forfeit_that_cannot_be_told_is_an_error(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setattr(f"arena.check.{place}", failing)
    report = check_bot(str(BOTS / "illegal.py"), level="process", rules=("base",), games=4)
    assert not report.accepted
    assert found(report, "forfeit illegal move").level == ERROR
    assert any("lost could not be looked at" in line for line in report.left_out)


def test_a_failure_to_load_that_cannot_be_told_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.check.check._reason", failing)
    report = check_bot(str(BOTS / "no_act.py"), level="process", rules=("base",), games=4)
    assert found(report, "load").level == ERROR
    assert not report.loaded


def test_what_the_listener_raises_is_no_failure_over_the_bot() -> None:
    def tell(progress: Progress) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        check_bot(str(BOTS / "fine.py"), level="process", rules=("base",), games=4, report=tell)
