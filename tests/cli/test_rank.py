"""``accord rank``: tables, groups and unbeaten systems in words, JSON, wrong commands."""

from __future__ import annotations

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from validate import stats
from validate.cli.rank import rank, ranked
from validate.errors import OptionError

ROWS = {"both_bad": "tie", "interval": "sandwich", "cluster": "item", "resamples": 100, "confidence": 0.95, "seed": 0}
ROWS["duplicates"] = "last"


def run(*arguments):
    app = typer.Typer()
    app.command()(rank)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


def test_the_sample_is_ranked(sample):
    done = run(sample, "--criterion", "preference")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "preference: 6 systems by 800 judgments"
    ranks = [line for line in lines if "[" in line]
    assert ranks[0].split()[1] == "summ-large"
    assert len(ranks) == 6
    assert "6 judgments 'both bad' were counted as ties" in done.stdout
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("method", ["bradley-terry", "davidson", "win-rate", "elo"])
def test_every_method_for_comparisons(sample, method):
    done = run(sample, "--method", method, "--resamples", 50, "--json")
    (found,) = json.loads(done.stdout)["rankings"]
    assert found["kind"] == "comparisons"
    estimates = [row["estimate"] for row in found["systems"]]
    assert estimates == sorted(estimates, reverse=True)
    assert all(row["low"] < row["estimate"] < row["high"] for row in found["systems"])


def test_ratings_are_ranked_by_their_means(sample):
    done = json.loads(run(sample, "--method", "mean", "--json").stdout)["rankings"]
    assert [one["criterion"] for one in done] == ["adequacy", "fluency"]
    assert all(one["systems"][0]["rank_low"] == 1 for one in done)


def test_numbers_are_those_of_the_library(make_study):
    rows = [
        (f"i{k % 7}", *pair, f"a{k % 3}", winner, "good")
        for k, (pair, winner) in enumerate([(("x", "y"), "a"), (("y", "z"), "b"), (("x", "z"), "tie")] * 9)
    ]
    (found,) = ranked(make_study(comparisons=rows), "", "", **ROWS | {"duplicates": "all"})
    first, second = ([{"x": 0, "y": 1, "z": 2}[row[place]] for row in rows] for place in (1, 2))
    outcome = [{"a": 1, "b": -1, "tie": 0}[row[4]] for row in rows]
    fit = stats.bradley_terry(first, second, outcome, 3, cluster=[row[0] for row in rows])
    by_system = {row["system"]: row for row in found["systems"]}
    assert [by_system[name]["low"] for name in "xyz"] == pytest.approx(fit.low.tolist())
    assert "sandwich over clusters by item" in found["method"]
    # draws belong to a criterion, and both bad can be left out
    assert found["n"] == 27


def test_groups_and_unbeaten_systems_are_said_in_words(make_study):
    rows = [(f"i{k}", "x", "y", f"a{k}", "a" if k % 3 else "b", "good") for k in range(12)]
    rows += [(f"i{k}", "u", "v", f"a{k}", "a", "good") for k in range(12)]
    (found,) = ranked(make_study(comparisons=rows), "", "", **ROWS)
    assert len({row["group"] for row in found["systems"]}) == 2
    assert any("2 groups of systems never met" in note for note in found["notes"])
    assert any("unbeaten or winless" in note for note in found["notes"])
    from io import StringIO

    from rich.console import Console

    from validate.cli.rank import show

    console = Console(file=StringIO(), width=80)
    show(console, found)
    text = console.file.getvalue()
    assert "group 2 of 2: ranks hold inside it only" in text
    assert "∞]" in text
    assert "u *" in text


def test_both_bad_can_be_left_out(make_study):
    rows = [(f"i{k}", "x", "y", f"a{k}", winner, "good") for k, winner in enumerate(["a", "b", "a", "both_bad"] * 5)]
    study = make_study(comparisons=rows)
    tie, drop = (ranked(study, "", "win-rate", **ROWS | {"both_bad": rule})[0] for rule in ("tie", "drop"))
    assert (tie["systems"][0]["estimate"], drop["systems"][0]["estimate"]) == (12.5 / 20, 10 / 15)
    assert drop["notes"][0] == "5 judgments 'both bad' were left out"


def test_one_annotator_is_said(make_study):
    rows = [(f"i{k}", "x", "y", "Ann", "a" if k % 3 else "b", "good") for k in range(12)]
    (found,) = ranked(make_study(comparisons=rows), "", "", **ROWS | {"cluster": "both"})
    assert "1 annotator only: what others would say is not known" in found["notes"][0]
    assert np.isfinite(found["systems"][0]["low"])  # over items


@pytest.mark.parametrize(
    ("method", "interval", "said"),
    [
        ("elo", "sandwich", False),
        ("elo", "bootstrap", True),
        ("bradley-terry", "sandwich", True),
        ("win-rate", "bootstrap", True),
    ],
)
def test_clusters_are_spoken_of_where_intervals_use_them(make_study, method, interval, said):
    rows = [(f"i{k}", "x", "y", f"a{k % 2}", "a" if k % 3 else "b", "good") for k in range(12)]
    study, options = make_study(comparisons=rows), ROWS | {"interval": interval}
    one, other = (ranked(study, "", method, **options | {"cluster": cluster})[0] for cluster in ("both", "none"))
    assert any("--cluster" in note for note in one["notes"]) == said
    assert (one["systems"] != other["systems"]) == said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "fluncy"}, "did you mean 'fluency'"),
        ({"method": "bradley"}, "did you mean 'bradley-terry'"),
        ({"cluster": "items"}, "did you mean 'item'"),
        ({"criterion": "fluency", "method": "elo"}, "has no comparisons 'fluency' to rank by elo"),
    ],
)
def test_wrong_commands(sample, options, message):
    from validate import load

    given = {"criterion": "", "method": "", **ROWS, **options}
    with pytest.raises(OptionError, match=message):
        ranked(load(sample), given.pop("criterion"), given.pop("method"), **given)
