"""A headless browser: Chromium and its driver, as packaged by Debian."""

import base64
import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--window-size=1366,768",
)  # fmt: skip


ATTEMPTS = 3
"""Chromium's own start page can still take the place of the first page that is opened."""


class Browser:
    """A browser with one page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def show(self, page: Path, scheme: str = "light") -> None:
        """Open a file, with the user's preference for light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        for _ in range(ATTEMPTS):
            self.driver.get("about:blank")  # a page that is opened again is otherwise read before it is loaded anew
            self.driver.get(page.as_uri())
            if self.run("return [document.URL, document.readyState]") == [page.as_uri(), "complete"]:
                return
        pytest.fail(f"the browser does not show {page.name}")

    def run(self, script: str, *arguments: Any) -> Any:
        """Return the result of a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def console(self) -> list[str]:
        """Return console messages since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested(self) -> list[str]:
        """Return the addresses requested by pages since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def picture(self, path: Path) -> None:
        """Save a screenshot of the whole page."""
        size = self.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        path.write_bytes(base64.b64decode(taken["data"]))


@contextmanager
def open_browser(folder: Path) -> Generator[Browser]:
    """Start a browser with a new profile below a folder. Without Chromium the test is skipped, but fails in CI."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        absent = "Chromium and its driver are not installed; Debian's packages are chromium and chromium-driver"
        if os.environ.get("CI"):
            pytest.fail(absent)
        pytest.skip(absent)
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        started.get("about:blank")  # ends the loading of Chromium's own start page, whose requests would be counted
        yield Browser(started)
    finally:
        started.quit()
