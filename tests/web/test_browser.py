"""A real browser at a real server: sign in, upload good and broken bots, see what becomes of them, see games, play."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.league.oversight import pause, resume
from arena.league.store import open_league
from tests.results.pages.test_browser import BROWSER, DRIVER, browser, driver
from tests.web.conftest import GOOD
from tests.web.served import Served, served

keys = pytest.importorskip("selenium.webdriver.common.keys", reason="selenium is not installed")
from selenium.common import exceptions  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

Keys = keys.Keys
__all__ = ["driver"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium and chromedriver are not installed"),
]
PATIENCE_S = 180.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("served")
    folder = place / "open"
    small = [
        "--isolation",
        "process",
        "--set",
        "placement.error=200",
        "--set",
        "placement.most_games=20",
        "--set",
        "placement.games=4",
        "--set",
        "placement.sample=2",
    ]
    assert main(["league", "create", "open", "--out", str(folder), "--rules", "tactical", *small]) == 0
    for bot in ("first", "random"):
        assert main(["submit", bot, "--league", str(folder), "--workers", "1"]) == 0
    with served(folder, 1, "--isolation", "process") as found:
        yield found


def text_of(driver: Any) -> str:
    text: str = driver.execute_script("return document.querySelector('main')?.innerText ?? ''")
    return text


def wait_for(driver: Any, *texts: str) -> None:
    """Wait until the page, which renews itself, shows one of some texts."""
    end = time.monotonic() + PATIENCE_S
    while not any(text in text_of(driver) for text in texts):
        assert time.monotonic() < end, text_of(driver)
        time.sleep(0.2)


def click(driver: Any, by: str, what: str) -> None:
    """Click an element of a page that may renew itself between finding and clicking."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            driver.find_element(by, what).click()
        except exceptions.StaleElementReferenceException:
            assert time.monotonic() < end
        else:
            return


def press(driver: Any, text: str) -> None:
    click(driver, "xpath", f"//main//button[normalize-space()='{text}']")


def upload(driver: Any, server: Served, path: Path) -> None:
    driver.get(f"{server.url}/me")
    driver.find_element("name", "file").send_keys(str(path))
    press(driver, "Upload")


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.soak), 400])
def test_an_author_goes_through_all_of_it(driver: Any, server: Served, tmp_path: Path, width: int) -> None:
    driver.set_window_size(width, 900)
    driver.get(server.url)
    driver.delete_all_cookies()
    name = f"mine{width}"
    (tmp_path / f"{name}.py").write_text(f"# {width}\n{GOOD}")
    (tmp_path / f"broken{width}.py").write_text(f"# {width}\ndef act(view, moves:\n")
    driver.get(f"{server.url}/sign-in#token={server.token(f'Ann {width}')}")
    press(driver, "Sign in")
    wait_for(driver, f"Bots of Ann {width}")
    upload(driver, server, tmp_path / f"{name}.py")
    wait_for(driver, "In the queue", "Being checked", "Being placed", "Placed")
    wait_for(driver, "Placed")
    upload(driver, server, tmp_path / f"broken{width}.py")
    wait_for(driver, "SyntaxError")
    assert_sound(driver, width)
    driver.get(f"{server.url}/bots/{name}")
    click(driver, "css selector", "main a[href*='games/']")
    steps = "return document.querySelector('[data-viewer]').dataset.step"
    driver.execute_script("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))")
    assert driver.find_elements("css selector", ".board")
    assert int(driver.execute_script(steps)) >= 0
    for path in ("", "live", "history", "rules", "write", "learn", "me", f"bots/{name}", f"me/bots/{name}", "sign-in"):
        driver.get(f"{server.url}/{path}")
        assert_sound(driver, width)
    assert [line for line in driver.get_log("browser") if line["level"] not in ("DEBUG", "INFO")] == []


PLAY = "document.querySelector('[data-play]')"


def kind(driver: Any) -> str:
    """How a game stands, when the server has answered."""
    end = time.monotonic() + PATIENCE_S
    while True:
        found: str = driver.execute_script(
            f"return {PLAY} && !{PLAY}.hasAttribute('aria-busy') && document.readyState === 'complete'"
            f" ? {PLAY}.dataset.kind : 'waits'"
        )
        if found != "waits":
            return found
        assert time.monotonic() < end, text_of(driver)
        time.sleep(0.02)


def choose(driver: Any, at: int, by_keys: bool) -> None:
    """Make a move: a card, a stone or a button, with the mouse or by keys."""
    cards = driver.find_elements("css selector", "button.pick")
    if cards:
        card = cards[at % len(cards)]
        card.send_keys(Keys.ENTER) if by_keys else card.click()
        assert card.get_attribute("aria-pressed") == "true"
    stones = driver.find_elements("css selector", "[data-mark][role=button]")
    texts = driver.execute_script(
        "return [...document.querySelectorAll('[data-moves] button[name=move]')]"
        ".filter((one) => one.offsetParent).map((one) => one.dataset.stone)"
    )
    assert {stone.text.split()[0] for stone in stones} == set(texts) - {""}  # what is marked is legal, and all of it
    if stones:
        stone = stones[at % len(stones)]
        if by_keys:
            driver.switch_to.active_element.send_keys(stone.text.split()[0])
        else:
            stone.click()
        if kind(driver) != "decision" or not driver.find_elements("xpath", "//*[text()='Choose one:']"):
            return
    buttons = driver.find_elements("css selector", "[data-moves] button[name=move]")
    button = next(button for button in buttons if button.is_displayed())
    button.send_keys(Keys.ENTER) if by_keys else button.click()


@pytest.mark.parametrize(("width", "by_keys"), [(1280, True), pytest.param(400, False, marks=pytest.mark.soak)])
def test_a_whole_game_against_a_bot(driver: Any, server: Served, width: int, by_keys: bool) -> None:
    driver.set_window_size(width, 900)
    driver.get(server.url)
    driver.delete_all_cookies()
    driver.get(f"{server.url}/sign-in#token={server.token(f'Zoe {width}')}")
    press(driver, "Sign in")
    wait_for(driver, "Bots of Zoe")
    driver.get(f"{server.url}/bots/random")
    click(driver, "link text", "Play against it")
    click(driver, "name", "claims")
    assert_sound(driver, width)
    press(driver, "Play")
    moves = 0
    while kind(driver) == "decision":
        if moves in (0, 20):
            assert_sound(driver, width)
        choose(driver, moves, by_keys)
        moves += 1
        assert moves < 200, text_of(driver)
    assert moves > 10
    assert any(text in text_of(driver) for text in ("You win", "You lose", "A draw"))
    assert_sound(driver, width)
    click(driver, "link text", "Watch the replay")
    assert driver.find_elements("css selector", "[data-viewer] .board")
    assert [line for line in driver.get_log("browser") if line["level"] not in ("DEBUG", "INFO")] == []


@pytest.fixture
def plain() -> Iterator[Any]:
    """A browser whose pages run no script."""
    with browser(script=False) as found:
        yield found


def test_without_script_an_author_uploads_and_plays_a_whole_game(plain: Any, server: Served, tmp_path: Path) -> None:
    plain.set_window_size(390, 900)
    (tmp_path / "plain.py").write_text(f"# plain\n{GOOD}")
    plain.get(f"{server.url}/sign-in")
    plain.find_element("name", "token").send_keys(server.token("Pia"))
    press(plain, "Sign in")
    wait_for(plain, "Bots of Pia")
    upload(plain, server, tmp_path / "plain.py")
    wait_for(plain, "Placed")
    plain.get(f"{server.url}/bots/random")
    click(plain, "link text", "Play against it")
    press(plain, "Play")
    moves = 0
    while kind(plain) == "decision":
        buttons = plain.execute_script(
            "return [...document.querySelectorAll('[data-moves] button[name=move]')].map((one) => !!one.offsetParent)"
        )
        assert buttons
        assert all(buttons)  # the script hides those that it draws on the table
        assert not plain.find_elements("css selector", "button.pick")
        number = plain.execute_script(f"return {PLAY}.dataset.number")
        plain.find_elements("css selector", "[data-moves] button[name=move]")[moves % len(buttons)].click()
        WebDriverWait(plain, PATIENCE_S).until(
            lambda _: plain.execute_script(f"return {PLAY} && {PLAY}.dataset.number") not in (None, number)  # noqa: B023
        )
        moves += 1
    assert moves > 10
    assert any(text in text_of(plain) for text in ("You win", "You lose", "A draw"))
    click(plain, "link text", "Watch the replay")
    wait_for(plain, "(a) –")
    assert plain.find_elements("css selector", "[data-viewer] .small-board [class^=c-]")
    assert len(plain.find_elements("css selector", "[data-viewer] .moves li")) >= moves
    click(plain, "css selector", "main > details > summary")
    wait_for(plain, "schotten/1 ")
    assert [line for line in plain.get_log("browser") if line["level"] not in ("DEBUG", "INFO")] == []


def test_a_page_renews_itself_and_its_table_can_be_sorted_then(driver: Any, server: Served) -> None:
    driver.set_window_size(1280, 900)
    driver.get(server.url)
    with open_league(server.folder) as league:
        pause(league, "moving house")
    try:
        wait_for(driver, "moving house")
        head = driver.find_element("xpath", "//th[button[normalize-space()='bot']]")
        for order in ("ascending", "descending"):
            click(driver, "xpath", "//th/button[normalize-space()='bot']")
            assert head.get_attribute("aria-sort") == order
    finally:
        with open_league(server.folder) as league:
            resume(league)


def assert_sound(driver: Any, width: int) -> None:
    """No page is wider than the screen, and axe finds nothing serious."""
    axe = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    script = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    wide = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{driver.current_url} is {wide} px too wide"
    driver.execute_script(script)
    found = driver.execute_async_script("axe.run().then(arguments[0])")["violations"]
    serious = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")]
    assert serious == [], driver.current_url
