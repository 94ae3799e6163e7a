"""``accord plan``: from a pilot, from assumptions, JSON, wrong commands."""

from __future__ import annotations

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from validate import stats
from validate.cli.plan import assumptions, beside_pilot, pilot, plan, world_assumed
from validate.errors import OptionError, ShapeError

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
    own = stats.correlation(*_scores(sample), level="system").value
    base = next(row for row in found["curve"] if (row["n_systems"], row["n_items"], row["n_annotators"]) == (6, 60, 3))
    assert found["notes"][-1].startswith(f"the pilot itself has {own:.2f}; new studies of its sizes")
    assert f"have {base['estimate']:.2f} on average" in found["notes"][-1]


def _scores(sample):
    from validate import load
    from validate.human import targets
    from validate.validation.scoring import score_study

    study = load(sample)
    return score_study(study).matrices["bleu"], targets(study)[0].scores


def test_a_pilot_that_its_world_does_not_fit_is_said():
    found = stats.plan(stats.assumed_world(), n_systems=20, n_items=50, simulations=100)
    low, estimate, high = found.curve.iloc[0][["low", "estimate", "high"]]
    assert "rough" not in beside_pilot(found, (low + high) / 2)[0]
    (note,) = beside_pilot(found, -0.9)
    assert note.startswith("the pilot itself has \u22120.90; ")
    assert f"have {estimate:.2f} on average; the pilot lies outside" in note
    assert beside_pilot(found, float("nan")) == []


def test_sizes_of_a_pilot_can_be_assumed_otherwise(sample):
    from validate import load

    about, own, world, sizes = pilot(load(sample), "", "", PLACE, {"n_items": 500, "noise": 0.0})
    assert np.isnan(own)  # the base is not the pilot
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


def test_a_pilot_too_noisy_to_plan_from_gives_no_figures(tmp_path):
    # rows and columns of people's scores sum to 12: systems do not differ
    human = [(1, 2, 3, 6), (2, 1, 6, 3), (3, 6, 1, 2), (6, 3, 2, 1)]
    cells = [(f"i{k}", f"s{j}", human[j][k]) for j in range(4) for k in range(4)]
    rows = {
        "items": ["item_id,source", *(f"i{k},text" for k in range(4))],
        "ratings": ["item_id,system,annotator,criterion,score", *(f"{i},{s},Ann,c,{x}" for i, s, x in cells)],
        "metrics": ["item_id,system,metric,score", *(f"{i},{s},m,{x * x % 7}" for i, s, x in cells)],
    }
    for name, lines in rows.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    done = run(tmp_path, "--simulations", 100)
    assert "width" not in done.stdout
    assert isinstance(done.exception, ShapeError)  # exit code 1: the data
    assert "too small or too noisy to plan from at system level" in str(done.exception)
    assert run(tmp_path, "--simulations", 100, "--level", "item").exit_code == 0
