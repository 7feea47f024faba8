"""Take screenshots of the main pages: `python -m tools.pictures --out shots`.

The program plays a small run and serves a small league. It takes each page at three widths, light and dark, into the
folder of `--out`: the visible part or, with `--whole`, the whole page; `--keep` updates docs/pictures. It needs
Chromium with chromedriver, and the extra `test`. Games are the same every time, except the unfinished one; thinking
times are not.
"""

from __future__ import annotations

import argparse
import base64
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.web.served import ROOT, served

KEPT = ROOT / "docs" / "pictures"
SCREENS = {390: 844, 820: 1180, 1280: 800}
RUN = [
    "tournament",
    "net",
    "odds",
    "counter",
    "greedy",
    "random",
    "--games",
    "100",
    "--rules",
    "tactical",
    "--seed",
    "7",
]
GAME = "101"
AUTHORS = {"random": None, "greedy": "Ann", "counter": "Chidi", "odds": "Mei", "net": "Oluwaseun"}
PLACEMENT = ["error=70", "most_games=80", "games=10"]
KEEP = {"report": "report", "replay": "viewer", "home": "league", "bots": "bot", "table": "play"}
"""Pages whose pictures at 1280 px are kept, with the names of the pictures."""
ON_PHONES = ("home", "replay", "table")
"""The pages whose pictures at 390 px and in dark colours are kept as well."""
CLICKS = 45
"""The least number of clicks in the unfinished game, played by the hints against the best bot."""
_STATE = "return document.querySelector('[data-play] .can') && document.querySelector('[data-play]').dataset.kind"
_AT_REST = "return document.querySelector('[data-phase=play] .acts [data-key=undo]')?.disabled"
_BEGIN = """
const form = document.createElement("form"), field = document.createElement("input");
[form.method, form.action, field.name, field.value] = ["post", "play", "bot", arguments[0]];
form.append(field);
document.body.append(form);
form.submit();
"""
_FOLLOW_HINT = """
document.querySelector("[data-key=hint]").click();
const lit = [...document.querySelectorAll(".felt .can")].filter((one) => one.ariaPressed !== "true");
(lit.filter((one) => one.matches(".hinted")).at(-1) || lit[0]).click();
"""
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("shots"), help="the folder of the screenshots")
    parser.add_argument("--league", type=Path, help="a league that is there already, instead of a new one")
    parser.add_argument("--only", nargs="*", default=[], help="names of pages")
    parser.add_argument("--whole", action="store_true", help="to the end of each page")
    parser.add_argument("--keep", action="store_true", help="renew docs/pictures")
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, browser() as driver:
        place = Path(made)
        pages = {}
        if not words.only or {"report", "replay"} & {*words.only}:
            _arena(place, *RUN, "--out", "run")
            _arena(place, "report", "run", "--replays", "5", "-o", "report.html")
            _arena(place, "judge", "run", GAME, "-o", "game.html")
            pages = {"report": (place / "report.html").as_uri(), "replay": f"{place.as_uri()}/game.html#move=40"}
        with served(words.league or _league(place), 0, "--isolation", "process") as server:
            driver.get(f"{server.url}/sign-in#token={server.token('Ann')}")
            driver.find_element("css selector", "main form button").click()
            WebDriverWait(driver, 60).until(lambda one: one.current_url.endswith("/me"))
            for name in ("", "live", "history", "rules", "learn", "write", "me", "play", "sign-in", "bots/greedy"):
                pages[name.partition("/")[0] or "home"] = f"{server.url}/{name}"
            for page, link in (("home", "games/"), ("me", "versions/")):
                driver.get(pages[page])
                found = driver.find_element("css selector", f"main a[href*='{link}']")
                pages[link.strip("/")] = found.get_attribute("href")
            for name, address in [*pages.items(), ("table", "")]:
                if not words.only or name in words.only:
                    _photographs(driver, name, address or _game(driver, server.url), words)


@contextmanager
def browser() -> Iterator[Any]:
    """Start Chromium without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def _arena(place: Path, *words: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ARENA_NO_PINNING": "1"}
    command = [sys.executable, "-m", "arena.cli.main", *words]
    subprocess.run(command, cwd=place, check=True, env=environment, stdout=subprocess.DEVNULL)


def _league(place: Path) -> Path:
    """Create a league of five bots, one of which has two versions."""
    settings = [f"--set={text}" for text in ("isolation=process", *(f"placement.{one}" for one in PLACEMENT))]
    _arena(place, "league", "create", "open", "--rules", "tactical", "--out", "open", *settings)
    for bot, author in AUTHORS.items():
        by = ["--author", author] if author else []
        _arena(place, "submit", bot, "--league", "open", "--workers", "1", *by)
        if bot != "random":  # the first bot has no opponents
            _arena(place, "league", "work", "open", "--max-games", "20", "--workers", "1")
    for change in ("return moves[-1]", "return moves[len(moves) // 2]"):
        (place / "late.py").write_text(f"def act(view, moves):\n    {change}\n")
        _arena(place, "submit", "late.py", "--league", "open", "--author", "Ann", "--workers", "1")
    return place / "open"


def _game(driver: Any, url: str) -> str:
    """Return the address of a game after some moves, in the person's turn."""
    driver.get(f"{url}/learn")
    driver.execute_script(_BEGIN, next(reversed(AUTHORS)))
    wait = WebDriverWait(driver, 60)
    clicks = 0
    while True:
        wait.until(lambda one: one.execute_script(_STATE) == "decision")
        if clicks >= CLICKS and driver.execute_script(_AT_REST):
            return str(driver.current_url)
        driver.execute_script(_FOLLOW_HINT)
        clicks += 1


def _photographs(driver: Any, name: str, address: str, words: argparse.Namespace) -> None:
    """Take a page at all widths, light and dark."""
    for scheme in ("light", "dark"):
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name_of, "value": value} for name_of, value in wishes.items()]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        for width, height in SCREENS.items():
            screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            driver.get(address)
            if words.whole:
                screen["height"] = driver.execute_script("return document.documentElement.scrollHeight")
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
            picture = Image.open(BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
            small = picture.quantize(256, dither=Image.Dither.NONE)
            small.save(words.out / f"{name}-{width}-{scheme}.png", optimize=True)
            main_one = (width, scheme) == (1280, "light")
            on_phone = (width, scheme) == (390, "dark") and name in ON_PHONES
            if words.keep and name in KEEP and (main_one or on_phone):
                kept = KEPT / f"{KEEP[name]}{'' if main_one else '-phone-dark'}.png"
                small.save(kept, optimize=True)
                print(kept, kept.stat().st_size)


if __name__ == "__main__":
    main()
