"""Make the pictures of README: `python docs/make_pictures.py` plays a small run and photographs its pages.

Needs Chromium with chromedriver, and what the extra `test` installs. Games are always the same, thinking times not.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver

PICTURES = Path(__file__).parent / "pictures"
BOTS = ("net", "odds", "counter", "greedy", "random")
RUN = ["tournament", *BOTS, "--games", "100", "--rules", "tactical", "--seed", "7"]
GAME, STEP = "101", 58
WIDTH = 1180
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        for command in (
            [*RUN, "--out", "run"],
            ["report", "run", "--replays", "5", "-o", "report.html"],
            ["replay", "run", GAME, "--judge", "--html", "-o", "game.html"],
        ):
            subprocess.run([sys.executable, "-m", "arena.cli.main", *command], cwd=place, check=True)
        photograph(place / "report.html", "", 1400, PICTURES / "report.png")
        photograph(place / "game.html", f"#game={GAME}&step={STEP}", 912, PICTURES / "viewer.png")


def photograph(page: Path, place: str, height: int, to: Path) -> None:
    """The top of a page."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    driver: Any = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        view = {"width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", view)
        driver.get(page.as_uri() + place)
        driver.execute_script("scrollTo(0, 0)")
        shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    finally:
        driver.quit()
    picture = Image.open(BytesIO(base64.b64decode(shot["data"])))
    picture.convert("RGB").quantize(200, dither=Image.Dither.NONE).save(to, optimize=True)
    print(to, to.stat().st_size)


if __name__ == "__main__":
    main()
