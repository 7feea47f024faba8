"""Pages in a real browser: no errors in its console, sorting, keys and links, every step of whole games."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.results.pages.report import report_page
from arena.results.sources import find_source
from tests.results.pages.conftest import states

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium and chromedriver are not installed"),
]
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

STATE = """
const codes = (one) => [...one.querySelectorAll('[data-card]')].map((card) => card.dataset.card).join(' ');
const columns = [...document.querySelectorAll('.viewer .table > *')], hands = document.querySelectorAll('.viewer .who');
const owner = (stone) => (stone.classList.contains('south') ? 'a' : stone.classList.contains('north') ? 'b' : '.');
return {
  step: document.querySelector('[data-viewer]').dataset.step,
  b: columns.map((one) => codes(one.querySelector('.side.north'))),
  a: columns.map((one) => codes(one.querySelector('.side.south'))),
  own: columns.map((one) => owner(one.querySelector('.stone'))).join(''),
  hands: [codes(hands[1]), codes(hands[0])],
};
"""
MOVING = """
const done = arguments[0], start = document.startViewTransition.bind(document);
let movement = null;
document.startViewTransition = (draw) => movement = start(draw);
const moved = () => done(document.getAnimations().map((one) => String(one.effect.pseudoElement)));
setTimeout(() => { // a quarter of a second after a change, the next one moves
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  movement ? movement.ready.then(moved, (error) => done([String(error)])) : done([]);
}, 300);
"""


@contextmanager
def browser() -> Iterator[Any]:
    """A browser."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    with tempfile.TemporaryDirectory() as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}", "--window-size=1280,900"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        found = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
        found.command_executor.client_config.timeout = 400  # a busy machine may take its time
        wish_for_motion(found, "reduce")
        yield found
        found.quit()


def wish_for_motion(driver: Any, wish: str) -> None:
    """Set what the reader's system says of motion: `reduce` or `no-preference`."""
    features = [{"name": "prefers-reduced-motion", "value": wish}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def file(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "report.html"
    path.write_text(report_page(find_source(str(folder)), count=6), encoding="utf-8")
    return path


def press(driver: Any, key: str, inside: bool = False) -> None:
    target = "document.querySelector('[data-viewer]')" if inside else "document.body"
    event = "new KeyboardEvent('keydown', {key: arguments[0], bubbles: true})"
    driver.execute_script(f"{target}.dispatchEvent({event})", key)


def step_of(driver: Any) -> int:
    return int(driver.execute_script("return document.querySelector('[data-viewer]').dataset.step"))


def test_steps_of_whole_games_are_those_of_the_data(driver: Any, file: Path) -> None:
    driver.get(file.as_uri())
    games = json.loads(driver.execute_script("return document.getElementById('data-games').textContent"))
    for game in games[:2]:
        driver.get(f"{file.as_uri()}#game={game['key']}&move=0")
        for at, state in enumerate(states(game)):
            shown = driver.execute_script(STATE)
            assert shown["step"] == str(at)
            for seat in "ab":
                assert shown[seat] == [state.get(f"{seat}{stone}", "") for stone in range(1, 10)]
                cards = f"{state.get(f'h{seat}', '')} {state.get(f'd{seat}', '')}".strip()
                assert shown["hands"]["ab".index(seat)] == cards
            assert shown["own"] == state["own"]
            press(driver, "ArrowRight")
    assert driver.get_log("browser") == []


def test_keys_buttons_and_links(driver: Any, file: Path) -> None:
    driver.get(file.as_uri())
    games = json.loads(driver.execute_script("return document.getElementById('data-games').textContent"))
    game = next(one for one in games if any("claims" in step for step in one["steps"]))
    last = len(game["steps"]) - 1
    driver.get(f"{file.as_uri()}#game={game['key']}&move=3")
    assert step_of(driver) == 3
    press(driver, "ArrowLeft")
    assert step_of(driver) == 2
    press(driver, "c")
    assert "claims" in game["steps"][step_of(driver)]
    driver.execute_script("document.querySelector('.keys button[data-act=play]').focus()")
    press(driver, "ArrowRight")
    press(driver, "ArrowLeft")
    assert "claims" in game["steps"][step_of(driver)]
    assert "claims stone" in driver.find_element("css selector", ".why").text
    press(driver, "End", inside=True)
    assert step_of(driver) == last
    press(driver, "Home", inside=True)
    assert step_of(driver) == 0
    driver.find_element("css selector", "[data-act=last]").click()
    assert step_of(driver) == last
    assert f"move={last}" in driver.find_element("css selector", ".viewer a").get_attribute("href")
    press(driver, "n")
    shown = driver.execute_script("return document.querySelector('[data-viewer]').dataset.game")
    assert shown != game["key"]
    for _ in range(4):
        press(driver, "h")
    held = list(states(next(one for one in games if one["key"] == shown)))[-1]
    cards = sum(len(held.get(hand, "").split()) for hand in ("ha", "hb"))
    assert len(driver.find_elements("css selector", ".viewer .hand .back")) == cards


def test_cards_move_unless_the_reader_wants_none_of_it(driver: Any, file: Path) -> None:
    driver.set_script_timeout(60)
    for wish, moves in (("no-preference", True), ("reduce", False)):
        wish_for_motion(driver, wish)
        driver.get("about:blank")
        driver.get(f"{file.as_uri()}#move=10")
        seen = driver.execute_async_script(MOVING)
        assert any("view-transition-group(card-" in one for one in seen) == moves, seen
        assert step_of(driver) == 11
    assert driver.get_log("browser") == []


def test_tables_sort_and_figures_have_words(driver: Any, file: Path) -> None:
    driver.get(file.as_uri())
    names = "return [...document.querySelectorAll('#standings tbody tr')].map((row) => row.cells[1].textContent)"
    before = driver.execute_script(names)
    head = driver.find_element("css selector", "#standings th:nth-child(3) button")
    head.click()
    head.click()
    assert driver.execute_script(names) == before[::-1]
    assert head.find_element("xpath", "..").get_attribute("aria-sort") == "ascending"
    driver.execute_script("document.querySelector('#ratings svg [data-tip]').focus()")
    assert "Elo" in driver.find_element("id", "tip").text
    assert driver.get_log("browser") == []


def test_a_page_is_sound_on_a_narrow_screen(driver: Any, file: Path) -> None:
    """Contrasts of both colour schemes are in test_design.py."""
    driver.set_script_timeout(300)
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    )
    driver.get(file.as_uri())
    driver.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    assert_sound(driver)
    longest = "const one = document.querySelector('.facts dd'); one.textContent = '888704103586051190'; "
    assert driver.execute_script(f"{longest} return one.scrollWidth <= one.clientWidth")  # a seed that was drawn
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert driver.get_log("browser") == []


def assert_sound(driver: Any) -> None:
    """No page is wider than the screen, and axe finds nothing serious."""
    axe = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    wide = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{driver.current_url} is {wide} px too wide"
    driver.execute_script(Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = driver.execute_async_script("axe.run().then(arguments[0])")["violations"]
    serious = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")]
    assert serious == [], driver.current_url


def test_arrows_move_between_figures(driver: Any, file: Path) -> None:
    driver.get(file.as_uri())
    stops = "return document.querySelectorAll('#crosstable [data-tip][tabindex=\"0\"]').length"
    tip = "return document.activeElement.dataset.tip"
    assert driver.execute_script(stops) == 1
    driver.execute_script("document.querySelector('#crosstable [data-tip][tabindex=\"0\"]').focus()")
    first = driver.execute_script(tip)
    for key, back in (("ArrowRight", "ArrowLeft"), ("ArrowDown", "ArrowUp")):
        for one in (key, back):
            driver.execute_script(
                "const event = new KeyboardEvent('keydown', {key: arguments[0], bubbles: true});"
                "document.activeElement.dispatchEvent(event)",
                one,
            )
            assert (driver.execute_script(tip) == first) == (one == back)
    assert driver.execute_script(stops) == 1
    assert driver.find_element("id", "tip").text == first
