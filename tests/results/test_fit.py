"""Tables in terminals of any width: nothing wraps, and what matters most is shown."""

from __future__ import annotations

import random

from arena.results.formats import cells, fit_columns, grid, shortened, write_report
from arena.results.table import ALWAYS, WIDE, Column, Report, Table

HEADS = ("#", "bot", "Elo", "±95%", "games", "W-D-L", "score%", "first%", "points", "stones", "turns", "forfeits")
MORE = {"W-D-L", "first%", "points", "stones", "turns"}


CELLS = ("1", "ann", "> +1038", "1038", "1000000", "199-10-1", "100.0", "99.9", "999999", "999", "44.1", "0")


def standing(names: tuple[str, ...] = ("ann", "bob"), forfeits: str = "0") -> Table:
    columns = tuple(
        Column(head, "text" if head == "bot" else "number", where=WIDE if head in MORE else ALWAYS) for head in HEADS
    )
    rows = [dict(zip(HEADS, CELLS)) | {"bot": name, "forfeits": forfeits} for name in names]
    return Table("standings", "", rows, columns)


def test_a_narrow_table_lacks_its_last_columns() -> None:
    table = standing()
    shown = {
        width: [column.head for column in fit_columns(table.columns, table.cells, width)[0]] for width in (40, 80, 160)
    }
    assert shown[40] == list(HEADS[: len(shown[40])])
    assert set(shown[40]) < set(shown[80]) < set(shown[160]) == set(HEADS)


def test_any_table_fits() -> None:
    draw = random.Random(5)
    for _ in range(200):
        columns = [Column("h" * draw.randint(1, 12), draw.choice(["text", "elo"])) for _ in range(draw.randint(2, 15))]
        rows = [[draw.choice(["ab" * draw.randint(0, 20), "7" * draw.randint(0, 12)]) for _ in columns] for _ in "123"]
        width = draw.randint(75, 200)  # two columns are always there
        shown, texts, left_out = fit_columns(columns, rows, width)
        assert len(shown) + left_out == len(columns)
        assert max(map(cells, grid(shown, texts, "simple").splitlines())) <= width


def test_a_brief_table_has_neither_more_columns_nor_empty_ones() -> None:
    columns = (Column("#"), Column("bot", "text"), Column("Elo"), Column("turns", where=WIDE), Column("remark", "text"))
    rows = [{"#": 1, "bot": "ann", "Elo": "+7", "turns": 44.1, "remark": "-"}]
    brief = write_report(Report("", [Table("standings", "", rows, columns)]), "table", None, True)
    assert brief.splitlines()[0].split() == ["#", "bot", "Elo"]
    assert brief.endswith("1 column hidden; use --wide to see it.\n")


def test_a_text_is_cut_between_letters() -> None:
    assert shortened("日本語", 4) == "日…"
    assert cells(shortened("🤖" * 9, 8)) <= 8
    assert shortened("e\u0301e\u0301", 2) == "e\u0301e\u0301"
