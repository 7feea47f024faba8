"""`arena plot`, `run.plot` and what notebooks show: real files, the names of strangers as texts."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import arena as public
from arena.results import PLOT_KINDS
from arena.results.pages.figures import panels_of
from arena.results.sources import StoredComparison
from arena.stats.frames import StatsError
from tests.cli.conftest import Arena, arena  # noqa: F401
from tests.results.pages.conftest import Page
from tests.results.synthetic import store_run

NAMES = ("$x_1$ <b>&\"'", "😀 \u05d0\u05d1")


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bots = [{"name": name, "spec": "random"} for name in NAMES]
    return store_run(tmp_path_factory.mktemp("plots") / "run", {"bots": bots, "games": 40})


def test_what_cannot_be_plotted_says_so(strange: Path, tmp_path: Path, arena: Arena) -> None:  # noqa: F811
    assert "is for comparisons" in arena("plot", strange, "--kind", "variants", code=2).err
    assert "svg, png, pdf" in arena("plot", strange, "-o", "x.gif", code=2).err
    assert "no games yet" in arena("plot", store_run(tmp_path / "none", units=0), code=2).err
    assert not [*tmp_path.glob("*.gif"), *tmp_path.glob("*.svg")]


@pytest.mark.parametrize("kind", [kind for kind in PLOT_KINDS if kind not in ("variants", "history")])
def test_a_plot_is_a_file_of_svg_by_itself(strange: Path, tmp_path: Path, kind: str, arena: Arena) -> None:  # noqa: F811
    assert "Written to" in arena("plot", strange, "--kind", kind, "-o", "one.svg").err
    content = (tmp_path / "one.svg").read_text()
    root = ElementTree.fromstring(content)
    texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(NAMES[0][:8] in text for text in texts) or kind == "lengths"
    assert any(re.search(r"round-robin, rules base, \d+ games, own deals, seed \d", text) for text in texts)
    assert kind != "crosstable" or sum(text.startswith(NAMES[0][:8]) for text in texts) == 2
    assert "var(" not in content


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_plots_are_converted(strange: Path, tmp_path: Path, ending: str, begins: bytes, arena: Arena) -> None:  # noqa: F811
    try:
        import cairosvg  # noqa: F401
    except (ImportError, OSError):
        pytest.skip("CairoSVG or the library cairo is not installed")
    arena("plot", strange, "--kind", "crosstable", "-o", f"plot.{ending}")
    assert (tmp_path / f"plot.{ending}").read_bytes().startswith(begins)


def test_comparisons_are_plotted_by_variant(compared: Path, tmp_path: Path, arena: Arena) -> None:  # noqa: F811
    arena("plot", compared, "--kind", "variants", "-o", "one.svg")
    for title, rules in zip(panels_of(StoredComparison(compared), "lengths"), ("base", "tactical"), strict=True):
        assert title.endswith(f"{rules}: round-robin, rules {rules}, 10 games, own deals, seed 3")
    picture = public.load(compared).plot("lengths")
    assert "rules tactical, 10 games, own deals, seed 3</text>" in picture._repr_svg_()
    picture.save(tmp_path / "two.svg")
    assert (tmp_path / "two.svg").read_text() == picture._repr_svg_()
    with pytest.raises(StatsError, match="no plot 'length'; did you mean 'lengths'"):
        public.load(compared).plot("length")


def test_notebooks_show_runs_and_games_with_names_as_texts(strange: Path, compared: Path) -> None:
    for shown in (public.load(strange)._repr_html_(), public.load(compared)._repr_html_()):
        assert Page.of(shown).tables
    assert any(NAMES[0] in cell for row in Page.of(public.load(strange)._repr_html_()).tables[0] for cell in row)
    game = public.play_game("first", "random", seed=1, names=(NAMES[0], "b"))
    ((tag, attributes),) = Page.of(game._repr_html_()).tags
    assert tag == "iframe"
    inner = Page.of(attributes["srcdoc"] or "")
    assert NAMES[0] in inner.data("games")[0]["names"]
