"""Submissions that are written to harm whoever checks them: the check goes on, and believes nothing that they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.league.check.check import check_bot
from arena.league.check.findings import LINES, SENTENCE
from arena.league.check.report import CheckReport
from arena.league.check.source.model import LONGEST
from arena.league.check.text import report_text
from tests.bots.isolation.inside import need_sandbox
from tests.league.check.checked import ACT, lay


def quick(path: Path, **more: Any) -> CheckReport:
    settings: dict[str, Any] = {"level": "process", "rules": ("base",), "games": 4}
    return check_bot(str(path), **settings | more)


@pytest.mark.process
def test_the_check_goes_on_without_the_source(tmp_path: Path) -> None:
    report = quick(lay(tmp_path, f"#{'x' * 300_000}\n{ACT}"), games=2)
    assert report.loaded
    assert report.games == 2
    (line,) = report.left_out
    assert line == "source of mine.py: more than 256 KiB, the limit for a file"
    assert f"Not checked:\n  {line}" in report_text(report)


FORGE = r"""
import gc, os
mark = next((one.mark for one in gc.get_objects() if type(one).__name__ == '_Auditor'), None)
if mark is not None:
    for file in (b'/etc/passwd', b'HERE/../secret.py', b'HERE/mine.py\\u001b', b'HERE/mine.py'):
        file = file.replace(b'HERE', os.path.dirname(__file__).encode())
        line = b'["network", "socket.connect", "evil.example", "' + file + b'", 7, false]'
        os.write(2, b'\x1e' + mark.encode() + line + b'\n')
def act(view, moves):
    return moves[0]
"""


@pytest.mark.sandbox
def test_forged_lines_name_nothing_outside_of_the_folder(tmp_path: Path) -> None:
    need_sandbox()
    path = lay(tmp_path, FORGE)
    report = quick(path, level="sandbox", games=2)
    assert {one.file for one in report.findings} == {str(path)}
    assert {(one.code, one.line) for one in report.findings} == {("tries network", 7), ("tries spying", 3)}
    assert report.attempts == 2


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


@pytest.mark.process
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
    report_text(report).encode()
