"""The page as a whole: one file, nothing runs that is not ours, headings in order, every number out of the tables."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from validate import results as results_folder
from validate.cli.report import report
from validate.report import render
from validate.results import COLUMNS, PARQUET_COLUMNS, Results

Make = Callable[..., Results]
VOID = {"meta", "link", "br", "img", "input", "path", "circle", "rect"}


class Outline(HTMLParser):
    """What a page is made of: elements with their attributes, texts of scripts, headings, identifiers, numbers."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open, f"</{tag}> closes nothing"
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        else:
            self.texts.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def hostile(make_results: Make) -> Results:
    return make_results(hostile=True, metrics=7, criteria=3)


@pytest.fixture(scope="module")
def page(hostile: Results) -> str:
    return render(hostile)


@pytest.fixture(scope="module")
def outline(page: str) -> Outline:
    return Outline(page)


def test_the_same_results_give_the_same_page(hostile: Results, page: str) -> None:
    assert render(hostile) == page


def test_every_element_is_closed_and_every_identifier_single(outline: Outline) -> None:
    assert outline.open == []
    identifiers = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(set(identifiers)) == len(identifiers)


def test_references_inside_the_page_lead_somewhere(outline: Outline) -> None:
    identifiers = {attributes.get("id") for _, attributes in outline.elements}
    assert {str(link["href"])[1:] for link in outline.of("a")} <= identifiers
    labels = [
        str(attributes["aria-labelledby"]) for _, attributes in outline.elements if "aria-labelledby" in attributes
    ]
    assert {name for label in labels for name in label.split()} <= identifiers


def test_headings_are_in_order(outline: Outline) -> None:
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_nothing_is_asked_of_any_other_place(page: str, outline: Outline) -> None:
    asking = ("src", "srcset", "action", "data", "poster", "background", "formaction", "xlink:href")
    for tag, attributes in outline.elements:
        assert not set(asking) & set(attributes), tag
        assert str(attributes.get("href") or "#").startswith(("#", "data:,")), tag
    assert {"img", "iframe", "object", "embed", "base", "form"}.isdisjoint(tag for tag, _ in outline.elements)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert not re.search(r"url\(|@import", style)


def test_only_our_scripts_may_run(outline: Outline) -> None:
    policy = next(str(meta["content"]) for meta in outline.of("meta") if meta.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    running = [
        text for attributes, text in zip(outline.of("script"), outline.scripts, strict=True) if "type" not in attributes
    ]
    assert {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in running} == allowed
    assert not any(name.startswith("on") for _, attributes in outline.elements for name in attributes)


def test_texts_of_the_study_are_text(hostile: Results, page: str, outline: Outline) -> None:
    shown = "".join(outline.texts)
    for text in (hostile.cases[1]["output"], hostile.run["skipped"][0]["reason"], hostile.run["study"]["description"]):
        assert text in shown
    for name in hostile.correlations["metric"].unique():
        assert name in shown
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "49 &amp;amp;" not in page  # {{ 7 * 7 }} was not calculated
    assert "{{ 7 * 7 }}" in shown


def test_texts_say_their_own_direction(outline: Outline) -> None:
    words = [attributes for _, attributes in outline.elements if attributes.get("class") == "words"]
    assert words
    assert all(attributes.get("dir") == "auto" for attributes in words)


def test_an_empty_output_is_said_to_be_empty(page: str) -> None:
    assert "(empty)" in page


def test_every_part_is_there_in_reading_order(outline: Outline) -> None:
    sections = [attributes["id"] for attributes in outline.of("section")]
    assert sections == [
        "answer", "judgments", "correlations", "pairs", "differences", "systems", "crosscheck", "cases", "data", "methods", "provenance",
    ]  # fmt: skip


def numbers_of(results: Results) -> set[float]:
    """Every number of the tables and documents, and what the page counts or averages itself."""
    tables = [getattr(results, name) for name in (*COLUMNS, *PARQUET_COLUMNS)]
    columns = [frame[column] for frame in tables for column in frame.columns if frame[column].dtype.kind in "if"]
    found = {float(value) for column in columns for value in column.dropna()}
    means = results.human_scores.groupby(["criterion", "system"])["score"].mean()
    found |= {float(value) for value in means}
    found |= {
        float(value)
        for _, part in means.groupby("criterion")
        for value in [part.tolist() and sum(part.tolist()) / len(part)]
    }
    return found | set(_inside((results.choice, results.run, results.cases)))


def _inside(document: Any) -> Iterator[float]:
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, (list, tuple)):
        for inner in document:
            yield from _inside(inner)
    elif isinstance(document, (int, float)):
        yield float(document)


def test_numbers_drawn_from_the_page_are_in_the_tables(make_results: Make) -> None:
    """Counts (whole numbers) the page makes itself; every other number must be found, to the last bit."""
    results = make_results(seed=5)
    held = [float(one) for values in re.findall(r'<data value="([^"]+)">', render(results)) for one in values.split()]
    measured = [value for value in held if not value.is_integer()]
    assert len(measured) > 500
    known = np.array(sorted(numbers_of(results) | {-value for value in numbers_of(results)} | {0.667, 1.0}))
    drawn = np.random.default_rng(2).choice(measured, 400, replace=False)
    shares = {within / 6 for within in range(7)} | {abs(case["gap"]) for case in results.cases}
    strange = [
        value
        for value in drawn
        if np.abs(known - value).min() > 1e-12 and not any(math.isclose(value, s) for s in shares)
    ]
    assert strange == []


def test_numbers_of_figures_are_those_of_the_tables(make_results: Make) -> None:
    """Figures hold five significant digits of the same numbers."""
    results = make_results(criteria=1)
    (forest,) = [text for text in Outline(render(results)).scripts if '"ceiling"' in text[:6000] and '"views"' in text]
    document = json.loads(forest)
    panel = document["views"][0]["panels"][0]
    frame = results.correlations
    here = frame[(frame["level"] == "system") & (frame["coefficient"] == "spearman")].set_index("metric")
    for metric, estimate, low, high, *_ in panel["data"]["rows"]:
        assert [estimate, low, high] == pytest.approx(here.loc[metric, ["estimate", "low", "high"]].tolist(), rel=1e-4)


@pytest.mark.parametrize(
    "size",
    [
        {"systems": 1, "items": 1, "metrics": 1, "criteria": 1, "annotators": 1},
        {"systems": 25, "items": 100, "metrics": 31, "criteria": 1},
        {"systems": 60, "items": 5, "metrics": 60, "criteria": 12, "annotators": 40, "hostile": True},
    ],
)
def test_any_size_is_drawn(make_results: Make, size: dict[str, int]) -> None:
    page = render(make_results(**size))
    assert len(page.encode()) < (3_000_000 if size["metrics"] < 60 else 5_000_000)
    assert Outline(page).open == []


def test_a_study_of_judgments_only_has_a_page(judgments_only: Results) -> None:
    sections = [attributes["id"] for attributes in Outline(render(judgments_only)).of("section")]
    assert sections == ["answer", "judgments", "systems", "data", "methods", "provenance"]


def test_a_page_without_anything(make_results: Make) -> None:
    """No judgments, no metrics, no facts: still a page."""
    empty = {name: results_folder.table(name, []) for name in (*COLUMNS, *PARQUET_COLUMNS)}
    page = render(Results(**empty))
    assert "No metric could be held against people" in page


def test_the_page_drawn_again_from_disk_is_the_same(
    make_results: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = make_results(metrics=7, hostile=True)
    folder = tmp_path / "results"
    page = render(results)
    results_folder.write(results, folder, page)
    (folder / "report.html").write_text("old", encoding="utf-8")
    report(folder)
    assert capsys.readouterr().out.strip() == str(folder / "report.html")
    assert (folder / "report.html").read_text(encoding="utf-8") == page
    assert {path.name for path in folder.iterdir() if path.name.startswith(".")} == set()


def test_a_page_that_fails_leaves_the_old_one(make_results: Make, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    results = make_results()
    results_folder.write(results, folder, "old")
    broken = replace(results, choice={"choices": [{"criterion": "x", "level": "item", "grouping": "none"}]})
    (folder / "choice.json").write_text(results_folder.to_json(broken.choice), encoding="utf-8")
    with pytest.raises(KeyError):
        report(folder)
    assert (folder / "report.html").read_text(encoding="utf-8") == "old"
