"""A real browser at a real server: sign in, upload good and broken bots, see what becomes of them, see games, play."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.game.cards import TACTIC_TEXTS
from arena.league.store import open_league
from tests.firefox import Firefox, firefox
from tests.league.leagues import RANDOM, enter
from tests.results.pages.test_browser import BROWSER, DRIVER, assert_sound, driver, wish_for_motion
from tests.web.conftest import GOOD
from tests.web.served import Served, served

exceptions = pytest.importorskip("selenium.common.exceptions", reason="selenium is not installed")
from selenium.webdriver.common import action_chains as chains  # noqa: E402

__all__ = ["driver"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium and chromedriver are not installed"),
]
PATIENCE_S = 180.0
TRICKSTER = """
def is_tactic(card):
    return card[0] == "*" or not card[1:].isdigit()

def act(view, moves):
    tricks = [move for move in moves if move.kind in ("place", "mode", "ruse") and is_tactic(move.card)]
    drawn = [] if any(map(is_tactic, view.hand)) else [move for move in moves if move.text == "draw tactic"]
    return (tricks or drawn or moves)[0]
"""
"""Plays tactic cards when it can, so that its opponent may play them, too."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("served")
    folder = place / "open"
    small = " ".join(f"--set placement.{one}" for one in ("error=200", "most_games=8", "games=4", "sample=2"))
    create = f"league create open --rules tactical --set isolation=process {small} --out"
    assert main([*create.split(), str(folder)]) == 0
    with open_league(folder) as made:
        enter(made, "first")
        enter(made, "random", source=RANDOM)
        enter(made, "trickster", source=TRICKSTER)
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


# ---------------------------------------------------------------- playing

SEEN = """(() => {
  const box = document.querySelector("[data-play]"), felt = box && box.querySelector(".felt");
  if (!box || document.readyState !== "complete") return {kind: "waits"};
  const lit = [...felt.querySelectorAll(".can:enabled")].map((one) => {
    const at = (one.querySelector(":scope > .place") || one).getBoundingClientRect();
    const [x, y] = [at.x + Math.min(at.width / 2, 12), at.y + Math.min(at.height / 2, 9)];
    const hit = document.elementFromPoint(x, y), column = one.closest("[data-stone]");
    const free = one.contains(hit) || Boolean(column && column.contains(hit));
    return {key: one.dataset.key, x, y, free, pressed: one.ariaPressed};
  });
  const kind = box.dataset.kind === "decision" && !lit.length ? "waits" : box.dataset.kind;
  return {kind, lit, at: document.activeElement.dataset.key || "", inside: felt.contains(document.activeElement),
    phase: box.dataset.phase, row: felt.querySelector(".stone").parentElement.getBoundingClientRect().top,
    held: [...felt.querySelectorAll(".hand [data-card]")].map((one) => one.dataset.card),
    left: Number(felt.querySelector(".pile.tactic b").innerText),
    result: felt.querySelector(".end:not([hidden]) .result")?.innerText};
})()"""
BEGIN = """(() => {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "play";
  for (const [name, value] of [["bot", "%s"], ["begins", "you"], ["claims", "1"]]) {
    const field = document.createElement("input");
    [field.name, field.value] = [name, value];
    form.append(field);
  }
  document.body.append(form);
  form.submit();
})()"""
NEXT = """((key) => {
  const from = document.activeElement;
  const to = [...document.querySelectorAll(".felt .can")].find((one) => one.dataset.key === key);
  return to === from ? "there" : from.compareDocumentPosition(to) & 4 ? "after" : "before";
})(%r)"""
TAB, SHIFT = "\ue004", "\ue008"
ENTER, RIGHT, LEFT = "\ue007", "\ue014", "\ue012"


class Chromium:
    """Chromium with the methods of `tests.firefox.Firefox`."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, url: str, width: int, height: int = 900) -> None:
        self.driver.set_window_size(width, height)
        self.driver.get(url)

    def evaluate(self, expression: str) -> Any:
        return self.driver.execute_script(f"return {expression}")

    def click(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = "none" if kind == "mouseMoved" else "left"
            event = {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def press(self, *keys: str) -> None:
        actions = chains.ActionChains(self.driver, duration=0)
        for key in keys:
            actions.key_down(key)
        for key in keys[::-1]:
            actions.key_up(key)
        actions.perform()


Browser = Chromium | Firefox


def decision(browser: Browser) -> dict[str, Any]:
    """What is seen when there is something to do, or the game is over."""
    end = time.monotonic() + PATIENCE_S
    while True:
        seen: dict[str, Any] = browser.evaluate(SEEN)
        if seen["kind"] != "waits":
            return seen
        assert time.monotonic() < end, seen
        time.sleep(0.02)


def wanted(seen: dict[str, Any], played: set[str], moves: int) -> dict[str, Any]:
    """Choose among what is lit: claims, tactic cards that have not been played yet, the deck of tactic cards."""
    lit = [one for one in seen["lit"] if one["key"] != "undo" and one["pressed"] != "true"]
    by_key = {one["key"]: one for one in lit}
    if seen["phase"] == "return":
        return by_key.get("done") or lit[0]
    placing = [one for one in lit if one["key"].partition(":")[0] in ("side", "stone", "card")]
    if placing:
        return placing[moves % len(placing)]
    if "deck:tactic" in by_key:
        return by_key["deck:tactic"]
    held = [one for one in lit if one["key"].startswith("hand:")]
    fresh = [one for one in held if one["key"][5:] in {*TACTIC_TEXTS} - played]
    clan = [one for one in held if one["key"][5:] not in TACTIC_TEXTS]
    return (fresh or clan or held or lit)[0]


def choose(browser: Browser, one: dict[str, Any], by_keys: bool) -> None:
    """Choose something that is lit, with the mouse or by keys."""
    key = one["key"]
    if not by_keys:
        assert one["free"], f"{key} lies under something else"
        browser.click(one["x"], one["y"])
    elif key.startswith(("side:", "stone:")):
        browser.press(key[-1])
    elif key.startswith("deck:"):
        browser.press(key[5])
    else:
        for _ in range(60):
            way = browser.evaluate(NEXT % key)
            if way == "there":
                break
            in_hand = key.startswith("hand:") and browser.evaluate(SEEN)["at"].startswith("hand:")
            steps = {"after": [RIGHT] if in_hand else [TAB], "before": [LEFT] if in_hand else [SHIFT, TAB]}
            browser.press(*steps[way])
        else:
            raise AssertionError(f"keys do not lead to {key}")
        browser.press(ENTER)


def play_tactics(browser: Browser, server: Served, by_keys: bool) -> None:
    """Play games until each kind of tactic card has been played; what is lit is all that is clicked."""
    browser.open(f"{server.url}/learn", 1280)
    browser.evaluate(BEGIN % "trickster")
    played: set[str] = set()
    for _ in range(12):
        seen = decision(browser)
        if by_keys:
            browser.evaluate("document.querySelector('.felt').focus()")
        row, card = seen["row"], ""
        for moves in range(400):
            if seen["kind"] != "decision":
                break
            assert seen["row"] == row, "the board has moved"
            assert seen["inside"] or moves == 0 or not by_keys, "the focus has left the board"
            missing = {*TACTIC_TEXTS} - played
            if missing and seen["phase"] == "play" and not (seen["left"] or missing & {*seen["held"]}):
                browser.evaluate("document.querySelector('[data-resign] button').click()")  # the next deal has others
                time.sleep(0.1)
                break
            one = wanted(seen, played, moves)
            if one["key"].startswith("hand:") and seen["phase"] == "play":
                card = one["key"][5:]
            choose(browser, one, by_keys)
            seen = decision(browser)
            if not any(other["key"] == "undo" for other in seen.get("lit", ())):
                played.add(card)
        if seen["kind"] == "over" and played >= {*TACTIC_TEXTS}:
            assert seen["result"] in ("You win", "trickster wins", "A draw")
            return
        while decision(browser)["kind"] != "over":
            time.sleep(0.05)
        browser.evaluate("document.querySelector('.end [type=submit]').click()")
        time.sleep(0.2)
    raise AssertionError(f"never played: {({*TACTIC_TEXTS}) - played}")


@pytest.mark.parametrize("by_keys", [False, True], ids=["clicks", "keys"])
def test_all_kinds_of_tactic_cards_are_played_on_the_board(driver: Any, server: Served, by_keys: bool) -> None:
    driver.get(server.url)
    driver.delete_all_cookies()
    play_tactics(Chromium(driver), server, by_keys)
    assert [line for line in driver.get_log("browser") if line["level"] not in ("DEBUG", "INFO")] == []


@pytest.mark.parametrize("by_keys", [False, True], ids=["clicks", "keys"])
def test_all_kinds_of_tactic_cards_are_played_in_firefox(server: Served, by_keys: bool) -> None:
    with firefox() as browser:
        play_tactics(browser, server, by_keys)
        assert browser.errors == []


MOVED = """
window.moved = [];
const start = document.startViewTransition.bind(document);
document.startViewTransition = (draw) => {
  const movement = start(draw);
  const names = () => document.getAnimations().map((one) => String(one.effect.pseudoElement));
  movement.ready.then(() => moved.push(names().join(" ")), (error) => moved.push(String(error)));
  return movement;
};
"""


def test_a_turn_moves_cards_and_a_game_is_sound_on_a_phone(driver: Any, server: Served) -> None:
    """The bot's card comes from its backs, a drawn one from its deck."""
    driver.get(server.url)
    driver.delete_all_cookies()
    browser = Chromium(driver)
    browser.open(f"{server.url}/learn", 400, 1200)
    browser.evaluate(BEGIN % "first")
    assert decision(browser)["kind"] == "decision"
    assert_sound(driver)
    wish_for_motion(driver, "no-preference")
    driver.execute_script(MOVED)
    one, two = decision(browser)["lit"][:2]
    browser.click(one["x"], one["y"])
    browser.click(two["x"], two["y"])  # while the first card moves
    time.sleep(1)
    assert [other["key"] for other in decision(browser)["lit"] if other["pressed"] == "true"] == [two["key"]]
    browser.click(two["x"], two["y"] + 20)
    time.sleep(1)
    for begin in ("hand:", "side:", "deck:"):
        choose(browser, next(one for one in decision(browser)["lit"] if one["key"].startswith(begin)), False)
        time.sleep(1)
    assert decision(browser)["kind"] == "decision"
    time.sleep(1)  # the last movement has begun
    moved = driver.execute_script("return window.moved")
    wish_for_motion(driver, "reduce")
    assert not [one for one in moved if "Error" in one and "AbortError" not in one]  # a quick click ends a movement
    assert sum("group(pair-0)" in one for one in moved) == 3  # we draw, the bot plays, the bot draws
    choose(browser, decision(browser)["lit"][0], False)
    assert_sound(driver)
    driver.find_element("css selector", "[data-resign] summary").click()
    driver.find_element("css selector", "[data-resign] button").click()
    assert decision(browser)["result"] == "You resign"
    time.sleep(2.5)  # the end appears
    assert_sound(driver)
    assert [line for line in driver.get_log("browser") if line["level"] not in ("DEBUG", "INFO")] == []


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
