"""Where a number is undefined the run goes on, and says why."""

import numpy as np
import pytest

import validate
from validate.validation import Options

QUICK = {"resamples": 20, "crosscheck_rows": 0, "metrics": ("bleu", "length")}
ITEMS = [(f"i{k}", "", [f"the cat number {k} sat"]) for k in range(4)]
OUTPUTS = [(f"i{k}", system, f"the {system} number {k}") for k in range(4) for system in ("cat", "dog", "cow")]


@pytest.fixture
def flat(make_study):
    """Everybody gave 3 throughout for style; quality was rated as it should be."""
    ratings = [(item, system, who, "style", 3.0) for item, system, _ in OUTPUTS for who in ("r1", "r2")]
    ratings += [(item, system, "r1", "quality", float(k % 5)) for k, (item, system, _) in enumerate(OUTPUTS)]
    return make_study(items=ITEMS, outputs=OUTPUTS, ratings=ratings)


def test_ratings_without_any_z_score_do_not_stop_the_run(flat):
    results = validate.run(flat, Options(human="z-score", **QUICK))
    assert set(results.correlations["criterion"]) == {"quality"}
    assert any(
        warning["weight"] == 3 and warning["text"].startswith("style: every annotator gave one score throughout")
        for warning in results.run["warnings"]
    )


def test_the_same_ratings_as_means_are_constant_with_a_reason(flat):
    correlations = validate.run(flat, Options(**QUICK)).correlations
    style = correlations[correlations["criterion"] == "style"]
    assert len(style)
    assert np.isnan(style["estimate"]).all()
    assert style["reason"].str.contains("human scores constant|both sides constant").all()
