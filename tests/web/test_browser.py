"""A real browser at a real server: sign in, upload a good and a broken bot, watch what becomes of them, see a game."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from tests.pages.test_browser import BROWSER, DRIVER, driver
from tests.web.conftest import GOOD
from tests.web.served import Served, served

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
    small = ["--isolation", "process", "--error", "200", "--most-games", "20", "--games", "4", "--sample", "2"]
    assert main(["league", "create", "open", "--dir", str(folder), *small]) == 0
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


def press(driver: Any, text: str) -> None:
    driver.find_element("xpath", f"//main//button[normalize-space()='{text}']").click()


def upload(driver: Any, server: Served, path: Path) -> None:
    driver.get(f"{server.url}/me")
    driver.find_element("name", "file").send_keys(str(path))
    press(driver, "Upload")


@pytest.mark.parametrize("width", [1280, 400])
def test_an_author_goes_through_all_of_it(driver: Any, server: Served, tmp_path: Path, width: int) -> None:
    driver.set_window_size(width, 900)
    driver.get(server.url)
    driver.delete_all_cookies()
    name = f"mine{width}"
    (tmp_path / f"{name}.py").write_text(f"# {width}\n{GOOD}")
    (tmp_path / f"broken{width}.py").write_text(f"# {width}\ndef act(view, moves:\n")
    driver.get(f"{server.url}/sign-in?token={server.token(f'Ann {width}')}")
    press(driver, "Sign in")
    wait_for(driver, f"Bots of Ann {width}")
    upload(driver, server, tmp_path / f"{name}.py")
    wait_for(driver, "In the queue", "Being checked", "Being placed", "Placed")
    wait_for(driver, "Placed")
    upload(driver, server, tmp_path / f"broken{width}.py")
    wait_for(driver, "SyntaxError")
    assert_sound(driver, width)
    driver.get(f"{server.url}/bots/{name}")
    driver.find_element("css selector", "main a[href*='games/']").click()
    steps = "return document.querySelector('[data-viewer]').dataset.step"
    driver.execute_script("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))")
    assert driver.find_elements("css selector", ".board")
    assert int(driver.execute_script(steps)) >= 0
    for path in ("", "live", "history", "rules", "write", "me", f"bots/{name}", f"me/bots/{name}", "sign-in"):
        driver.get(f"{server.url}/{path}")
        assert_sound(driver, width)
    assert [line for line in driver.get_log("browser") if line["level"] not in ("DEBUG", "INFO")] == []


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
