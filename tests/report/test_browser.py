"""The page in a browser: it opens quickly, draws every figure, asks for nothing, and anyone can use it."""

from __future__ import annotations

import itertools
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from validate.report import render
from validate.results import Results

pytestmark = pytest.mark.slow

Make = Callable[..., Results]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"]
SIZES: dict[str, dict[str, Any]] = {
    "hostile": {"hostile": True, "metrics": 8, "criteria": 3},
    "one": {"systems": 1, "items": 1, "metrics": 1, "criteria": 1, "annotators": 1},
    "realsumm": {"systems": 25, "items": 100, "metrics": 31, "criteria": 1},
    "huge": {"systems": 60, "items": 5, "metrics": 60, "criteria": 12, "annotators": 40, "hostile": True},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (extra dev)")
    if not CHROMIUM:
        pytest.skip("needs chromium: none on the PATH, and CHROMIUM does not name one")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module", params=list(SIZES))
def file(request: pytest.FixtureRequest, make_results: Make, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    path.write_text(render(make_results(**SIZES[request.param])), encoding="utf-8")
    return path


class Visit:
    """One opening of a page, with everything that it said and asked for."""

    def __init__(self, browser: Any, file: Path, **context: Any) -> None:
        self.page = browser.new_context(**context).new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        began = time.perf_counter()
        self.page.goto(file.as_uri())
        self.page.wait_for_function("document.documentElement.dataset.drawn === 'yes'")
        self.seconds = time.perf_counter() - began


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_opens_and_draws_and_asks_for_nothing(browser: Any, file: Path, width: int, scheme: str) -> None:
    visit = Visit(browser, file, viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert visit.said == []
    assert [url for url in visit.asked if url != file.as_uri() and not url.startswith("data:")] == []
    assert visit.seconds < 4  # half of it on a machine that has nothing else to do
    assert visit.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert visit.page.locator("figure .panel").count() == visit.page.locator("figure .panel svg").count() > 0
    assert visit.page.locator(".panel svg text:text('NaN')").count() == 0


def test_choosing_another_view_redraws_and_says_so(browser: Any, file: Path) -> None:
    visit = Visit(browser, file)
    figure = visit.page.locator("#figure-forest")
    before = figure.locator(".says p:visible").inner_text()
    figure.locator("select[data-choice=Coefficient]").select_option("Kendall’s τ-b")
    visit.page.wait_for_function("document.querySelector('#figure-forest').dataset.drawn === 'yes'")
    assert figure.locator(".says p:visible").count() == 1
    assert figure.locator(".says p:visible").inner_text() != before
    assert figure.locator(".panel svg").count() == 4
    assert visit.said == []


def test_tables_are_sorted_by_their_headings(browser: Any, make_results: Make, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(make_results()), encoding="utf-8")
    visit = Visit(browser, path)
    table = visit.page.locator("#correlations > div.table table")
    heading = table.locator("thead th", has_text="Pearson")
    numbers = "rows => rows.map(row => parseFloat(row.cells[1].querySelector('data').value))"
    heading.get_by_role("button").click()
    down = table.locator("tbody tr").evaluate_all(numbers)
    assert heading.get_attribute("aria-sort") == "descending"
    assert down == sorted(down, reverse=True)
    heading.get_by_role("button").press("Enter")
    assert table.locator("tbody tr").evaluate_all(numbers) == sorted(down)


IDS = "boxes => boxes.filter((box) => box.checkVisibility() && {}).map((box) => box.getAttribute('aria-labelledby'))"
CUT, CUED = IDS.format("box.scrollWidth > box.clientWidth"), IDS.format("!box.previousElementSibling.hidden")
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


@pytest.mark.parametrize(("width", "cut"), [(1280, False), (390, True)])
def test_tables_that_are_cut_say_that_they_scroll(
    browser: Any, make_results: Make, tmp_path: Path, width: int, cut: bool
) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(make_results()), encoding="utf-8")
    page = Visit(browser, path, viewport={"width": width, "height": 844}).page
    for _ in range(2):  # as it opens, then with everything opened
        boxes = page.locator(".scroll")
        assert boxes.evaluate_all(CUED) == boxes.evaluate_all(CUT)
        assert ("choices" in boxes.evaluate_all(CUT)) == cut
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate(TWO_FRAMES)


def test_equal_ranks_do_not_cover_each_other(browser: Any, make_results: Make, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(make_results()), encoding="utf-8")
    marks = Visit(browser, path).page.locator("#figure-ranking .panel >> nth=1").locator(".mark-symbol path")
    boxes = "marks => marks.map(mark => mark.getBoundingClientRect()).map(box => [box.x + box.width / 2, box.y + box.height / 2])"
    centres = marks.evaluate_all(boxes)
    assert len(centres) == 18  # six systems, three metrics
    assert min(math.dist(a, b) for a, b in itertools.combinations(centres, 2)) > 4


def test_lines_are_no_longer_than_72_characters(browser: Any, make_results: Make, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(make_results()), encoding="utf-8")
    visit = Visit(browser, path, viewport={"width": 1280, "height": 900})
    longest = visit.page.evaluate(LONGEST_LINE)
    assert longest <= 72


LONGEST_LINE = """() => {
  let longest = 0;
  for (const node of document.querySelectorAll('main p:not(.caption):not(.panel-title), main li')) {
    const range = document.createRange(), lines = new Map();
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      for (let j = 0; j < text.length; j++) {
        range.setStart(text, j); range.setEnd(text, j + 1);
        const box = range.getBoundingClientRect();
        if (box.width) lines.set(Math.round(box.bottom / 8), (lines.get(Math.round(box.bottom / 8)) ?? 0) + 1);
      }
    }
    longest = Math.max(longest, ...lines.values());
  }
  return longest;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, file: Path, scheme: str) -> None:
    script = os.environ.get("AXE_CORE", "")
    if not Path(script).is_file():
        pytest.skip("needs axe-core: AXE_CORE names its axe.min.js (npm pack axe-core)")
    visit = Visit(browser, file, color_scheme=scheme, bypass_csp=True)
    visit.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    visit.page.add_script_tag(path=script)
    found = visit.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found] == []


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_it_prints(browser: Any, file: Path, tmp_path: Path, paper: str) -> None:
    visit = Visit(browser, file)
    printed = visit.page.pdf(format=paper, path=tmp_path / "report.pdf")
    assert printed.startswith(b"%PDF")
    assert visit.said == []
