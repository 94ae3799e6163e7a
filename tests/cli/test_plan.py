"""``accord plan``: from a pilot, from assumptions, JSON, wrong commands."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from validate.cli.plan import assumptions, pilot, plan, world_assumed
from validate.errors import OptionError

PLACE = {"coefficient": "spearman", "level": "system", "grouping": None}


def run(*arguments):
    app = typer.Typer()
    app.command()(plan)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


def test_a_table_and_curves_from_assumptions():
    done = run("--assume", "n_systems=8, n_items=20, rho=0.7", "--simulations", 100, "--width", 0.5)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "assumptions"
    goals = [line for line in lines if line.startswith("width 0.5")]
    assert len(goals) == 4
    assert "more systems" in done.stdout
    assert "█" in done.stdout
    assert "all values are assumptions, not data" in done.stdout
    assert max(map(len, lines)) <= 80


def test_the_sample_as_a_pilot_in_json(sample):
    done = run(sample, "--simulations", 100, "--criterion", "adequacy", "--metric", "bleu", "--json")
    found = json.loads(done.stdout)
    assert found["base"] == {"systems": 6, "items": 60, "annotators": 3}
    assert "adequacy, bleu" in found["about"]
    assert {row["goal"] for row in found["needed"]} == {"width", "power"}
    assert {"n_systems", "width", "power", "low", "high"} <= set(found["curve"][0])
    assert all(row["low"] <= row["high"] for row in found["curve"])


def test_sizes_of_a_pilot_can_be_assumed_otherwise(sample):
    from validate import load

    about, world, sizes = pilot(load(sample), "", "", PLACE, {"n_items": 500, "noise": 0.0})
    assert sizes == {"n_systems": 6, "n_items": 500, "n_annotators": 3}
    assert world.noise == 0.0
    assert "as a pilot: adequacy" in about


def test_assumptions_are_read():
    assert assumptions(" n_items=50, rho = 0.4 ") == {"n_items": 50, "rho": 0.4}
    world, sizes = world_assumed({"n_items": 50, "rho": 0.4})
    assert world.rho == (0.4, 0.4, 0.4)
    assert sizes == {"n_systems": 10, "n_items": 50, "n_annotators": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n_sytems=5", "did you mean 'n_systems'"),
        ("rho=high", "'rho=high' was given; a number is allowed"),
        ("n_items=2.5", "a whole number is allowed"),
    ],
)
def test_assumptions_that_make_no_sense(text, message):
    with pytest.raises(OptionError, match=message):
        assumptions(text)


def test_wrong_commands(sample, make_study):
    from validate import load

    with pytest.raises(OptionError, match="rho was assumed, which the pilot tells"):
        pilot(load(sample), "", "", PLACE, {"rho": 0.5})
    with pytest.raises(OptionError, match="did you mean 'fluency'"):
        pilot(load(sample), "fluncy", "", PLACE, {})
    with pytest.raises(OptionError, match="has no judgments"):
        pilot(make_study(metric_scores=[("i", "s", "m", 1.0)]), "", "", PLACE, {})
    assert isinstance(run().exception, OptionError)
