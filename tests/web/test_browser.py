"""A real browser at a real server: sign in, upload good and broken bots, see what becomes of them, see games, play."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.league.store import open_league
from tests.league.leagues import RANDOM, enter
from tests.results.pages.test_browser import BROWSER, DRIVER, assert_sound, driver
from tests.web.conftest import GOOD
from tests.web.served import Served, served

keys = pytest.importorskip("selenium.webdriver.common.keys", reason="selenium is not installed")
from selenium.common import exceptions  # noqa: E402

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
    small = " ".join(f"--set placement.{one}" for one in ("error=200", "most_games=8", "games=4", "sample=2"))
    create = f"league create open --rules tactical --isolation process {small} --out"
    assert main([*create.split(), str(folder)]) == 0
    with open_league(folder) as made:
        enter(made, "first")
        enter(made, "random", source=RANDOM)
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


def test_an_author_goes_through_all_of_it(driver: Any, server: Served, tmp_path: Path) -> None:
    driver.set_window_size(400, 900)
    (tmp_path / "mine.py").write_text(GOOD)
    (tmp_path / "broken.py").write_text("def act(view, moves:\n")
    driver.get(f"{server.url}/sign-in#token={server.token('Ann')}")
    press(driver, "Sign in")
    wait_for(driver, "Bots of Ann")
    upload(driver, server, tmp_path / "mine.py")
    wait_for(driver, "In the queue", "Being checked", "Being placed", "Placed")
    wait_for(driver, "Placed")
    upload(driver, server, tmp_path / "broken.py")
    wait_for(driver, "line 1: '(' was never closed")
    assert_sound(driver)
    assert f"{server.url}/me/upload" in driver.get_log("browser")[-1]["message"]  # its status, 400
    driver.get(f"{server.url}/bots/mine")
    click(driver, "css selector", "main a[href*='games/']")
    steps = "return document.querySelector('[data-viewer]').dataset.step"
    driver.execute_script("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))")
    assert driver.find_elements("css selector", ".table")
    assert int(driver.execute_script(steps)) >= 0
    for path in ("", "learn", "me", "bots/mine"):
        driver.get(f"{server.url}/{path}")
        assert_sound(driver)
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
    picked = ""
    if cards:
        card = cards[at % len(cards)]
        picked = card.get_attribute("data-card")
        card.send_keys(Keys.ENTER) if by_keys else card.click()
        assert card.get_attribute("aria-pressed") == "true"
    stones = driver.find_elements("css selector", ".stone[role=button]")
    texts = driver.execute_script(
        "return [...document.querySelectorAll('[data-moves] button[name=move]')]"
        ".filter((one) => one.closest('fieldset').dataset.of === arguments[0]).map((one) => one.dataset.stone)",
        picked,
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


def test_a_whole_game_against_a_bot(driver: Any, server: Served) -> None:
    """By keys and by the mouse in turn."""
    driver.set_window_size(1280, 900)
    driver.get(server.url)
    driver.delete_all_cookies()
    driver.get(f"{server.url}/sign-in#token={server.token('Zoe')}")
    press(driver, "Sign in")
    wait_for(driver, "Bots of Zoe")
    driver.get(f"{server.url}/play")
    assert_sound(driver)
    click(driver, "name", "claims")
    click(driver, "css selector", "button[value=random]")
    moves = 0
    while kind(driver) == "decision":
        if moves == 20:
            assert_sound(driver)
        choose(driver, moves, by_keys=moves % 2 == 0)
        moves += 1
        assert moves < 200, text_of(driver)
    assert moves > 10
    assert any(text in text_of(driver) for text in ("You win", "You lose", "A draw"))
    click(driver, "link text", "Watch the game")
    assert driver.find_elements("css selector", "[data-viewer] .table")
    assert [line for line in driver.get_log("browser") if line["level"] not in ("DEBUG", "INFO")] == []


def test_the_pages_for_beginners_fit_the_screen(driver: Any, server: Served) -> None:
    boxes = "return [...document.querySelectorAll(arguments[0])].map((one) => one.getBoundingClientRect().toJSON())"
    driver.set_window_size(1280, 900)
    driver.get(f"{server.url}/learn")
    driver.execute_script("document.querySelector('details:has(.table > :nth-child(9))').open = true")
    labels = driver.execute_script(boxes, ".felt .says")
    assert len(labels) > 3
    for one in labels:  # the words under a stone stay beside those of its neighbours
        assert [
            other for other in labels if other["top"] == one["top"] and other["left"] < one["left"] < other["right"]
        ] == []
    (button,) = driver.execute_script(boxes, "main form .first")
    assert button["width"] < 400
    driver.set_window_size(400, 900)
    for cards in driver.execute_script(boxes, ".formations .cards"):
        assert cards["height"] < cards["width"] / 2  # three cards in a line
    shapes = [one["height"] / one["width"] for one in driver.execute_script(boxes, "table .card")]
    assert min(shapes) > 1.3, shapes


def test_an_organiser_invites_a_class(driver: Any, server: Served) -> None:
    driver.set_window_size(400, 900)
    driver.get(server.url)
    driver.delete_all_cookies()
    driver.get(f"{server.url}/sign-in#token={server.token('Boss', admin=True)}")
    press(driver, "Sign in")
    wait_for(driver, "Organise the league")
    driver.get(f"{server.url}/admin")
    driver.find_element("css selector", "textarea").send_keys("Cleo\n\nDora\nBoss")
    press(driver, "Invite")
    wait_for(driver, "Line 4: Boss already has an invitation")
    assert_sound(driver)
    revoke = "//tr[contains(., 'Dora')]//button[normalize-space()='Yes, revoke']"
    assert not driver.find_element("xpath", revoke).is_displayed()
    click(driver, "xpath", "//tr[contains(., 'Dora')]//summary")
    assert_sound(driver)
    link = driver.find_element("xpath", "//td[contains(., 'sign-in#token=')]").text
    click(driver, "xpath", revoke)
    wait_for(driver, "revoked")
    driver.delete_all_cookies()
    driver.get(f"{server.url}/sign-in")
    driver.execute_script("location.hash = arguments[0]", link.partition("#")[2])  # pasted into the open page
    press(driver, "Sign in")
    wait_for(driver, "Bots of Cleo")
