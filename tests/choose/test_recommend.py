"""The choice follows from replicates that are written down here, so that every verdict can be checked by eye."""

from dataclasses import dataclass
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from validate import choose
from validate.choose import primary

B = 200


@dataclass
class Drawn:
    """Replicates of one coefficient: each metric at its point plus a stated wobble."""

    names: tuple[str, ...]
    point: np.ndarray
    values: np.ndarray
    coefficients: tuple[str, ...] = ("spearman",)
    level: str = "item"
    grouping: str = "none"
    unit: str = "both"
    n_systems: int = 10
    n_items: int = 50
    n_groups: int = 1
    n_undefined: tuple[int, ...] = ()

    @property
    def facts(self):
        undefined = self.n_undefined or (0,) * len(self.names)
        return [
            SimpleNamespace(n_systems=self.n_systems, n_items=self.n_items, n_groups=self.n_groups, n_undefined=n)
            for n in undefined
        ]


def recommend(replicates, criterion, **options):
    """The choice from percentile intervals of the replicates and of their differences."""
    point, values = replicates.point[0], replicates.values[0]
    correlations = [
        {"coefficient": "spearman", "metric": name, "estimate": point[k], **_ends(values[k])}
        for k, name in enumerate(replicates.names)
    ]
    differences = [
        {"coefficient": "spearman", "metric_a": a, "metric_b": b, **_ends(values[j] - values[k])}
        for (j, a), (k, b) in combinations(enumerate(replicates.names), 2)
    ]
    columns = ["coefficient", "metric_a", "metric_b", "low", "high"]
    frames = {"correlations": pd.DataFrame(correlations), "differences": pd.DataFrame(differences, columns=columns)}
    return choose.recommend(replicates, criterion, **frames, **options)


def _ends(draws):
    defined = draws[np.isfinite(draws)]
    low, high = np.quantile(defined, [0.025, 0.975]) if len(defined) else (np.nan, np.nan)
    return {"low": low, "high": high}


def drawn(**metrics: tuple[float, np.ndarray]) -> Drawn:
    return Drawn(
        tuple(metrics),
        np.array([[point for point, _ in metrics.values()]]),
        np.array([[point + wobble for point, wobble in metrics.values()]]),
    )


def wobble(width: float, shift: int = 0) -> np.ndarray:
    """Evenly spread over ±width, in an order that ``shift`` changes."""
    return np.roll(np.linspace(-width, width, B), shift)


def test_a_metric_that_is_always_first_is_a_clear_choice():
    choice = recommend(drawn(good=(0.8, wobble(0.05)), poor=(0.4, wobble(0.05))), "quality")
    assert (choice.verdict, choice.best["metric"], choice.best["share_first"]) == ("clear", "good", 1.0)
    assert (choice.equivalent, choice.worse) == ((), 1)
    # the percentile interval of 200 values evenly spread over 0.8 ± 0.05
    assert choice.best["low"] == pytest.approx(0.8 - 0.05 * 0.95)


def test_a_metric_that_comes_first_almost_always_is_not_clear_beside_one_that_cannot_be_told_from_it():
    """First in 196 of 200 replicates, but the table's interval of the difference, by another rule than quantiles, reaches zero."""
    behind = np.full(B, -0.1)
    behind[:4] = 0.1
    replicates = drawn(a=(0.6, np.zeros(B)), b=(0.6, behind), c=(0.1, np.zeros(B)))
    tables = {
        "correlations": pd.DataFrame(
            {
                "coefficient": "spearman", "metric": ["a", "b", "c"], "estimate": [0.6, 0.5, 0.1], "low": [0.4, 0.3, -0.1],
                "high": [0.8, 0.7, 0.3],
            }
        ),
        "differences": pd.DataFrame(
            {
                "coefficient": "spearman", "metric_a": ["a", "a", "b"], "metric_b": ["b", "c", "c"], "low": [-0.01, 0.3, 0.2],
                "high": [0.2, 0.7, 0.6],
            }
        ),
    }  # fmt: skip
    choice = choose.recommend(replicates, "quality", **tables)
    assert choice.best["share_first"] == 0.98  # 196 / 200
    assert (choice.verdict, choice.equivalent) == ("likely", ("b",))
    tables["differences"].loc[0, "low"] = 0.01
    apart = choose.recommend(replicates, "quality", **tables)
    assert (apart.verdict, apart.equivalent) == ("clear", ())


def test_metrics_that_change_places_are_open_and_named():
    choice = recommend(
        drawn(a=(0.60, wobble(0.2)), b=(0.59, wobble(0.2, 67)), c=(0.58, wobble(0.2, 133)), far=(0.1, wobble(0.05))),
        "quality",
    )
    assert choice.verdict == "open"
    assert choice.best["metric"] == "a"
    assert choice.equivalent == ("b", "c")
    assert choice.worse == 1


def test_a_metric_that_moves_with_the_best_but_always_below_is_not_its_equal():
    """Paired: the two share every wobble, so a small difference is certain."""
    choice = recommend(drawn(a=(0.62, wobble(0.3)), b=(0.60, wobble(0.3))), "quality")
    assert choice.equivalent == ()
    assert choice.best["share_first"] == 1.0


def test_no_agreement_is_no_choice():
    assert recommend(drawn(a=(0.05, wobble(0.3)), b=(0.0, wobble(0.3, 50))), "quality").verdict == "none"


def test_a_control_that_does_as_well_leaves_no_choice():
    metrics = drawn(a=(0.5, wobble(0.1)), length=(0.55, wobble(0.1, 100)))
    choice = recommend(metrics, "quality", controls=["length"])
    assert (choice.verdict, choice.beats_controls, choice.best_control["metric"]) == ("none", False, "length")


def test_a_control_that_cannot_be_ruled_out_is_said_beside_the_choice():
    metrics = drawn(a=(0.5, wobble(0.1)), length=(0.45, wobble(0.1, 100)))
    choice = recommend(metrics, "quality", controls=["length"])
    assert (choice.verdict, choice.beats_controls) == ("clear", False)
    better = recommend(drawn(a=(0.9, wobble(0.1)), length=(0.1, wobble(0.1))), "quality", controls=["length"])
    assert (better.verdict, better.beats_controls) == ("clear", True)


def test_a_metric_that_is_constant_almost_everywhere_is_not_considered():
    """It tells apart the outputs of 1 item of 60, and there it happens to be right."""
    replicates = drawn(exact=(0.9, wobble(0.01)), a=(0.4, wobble(0.1)))
    replicates.n_groups, replicates.n_undefined = 60, (59, 2)
    choice = recommend(replicates, "quality")
    assert (choice.best["metric"], choice.unfit) == ("a", ("exact",))


def test_a_control_is_never_recommended():
    choice = recommend(drawn(length=(0.9, wobble(0.01)), a=(0.3, wobble(0.01))), "quality", controls=["length"])
    assert choice.best["metric"] == "a"


def test_undefined_everywhere_says_so():
    nothing = drawn(a=(np.nan, wobble(0)))
    choice = recommend(nothing, "quality")
    assert (choice.verdict, choice.best) == ("undefined", None)
    assert "no metric has a defined correlation" in choice.reason


def test_replicates_in_which_a_metric_is_undefined_do_not_make_it_first():
    holes = wobble(0.0)
    holes[: B // 2] = np.nan
    choice = recommend(drawn(a=(0.5, holes), b=(0.4, wobble(0.0))), "quality")
    assert choice.best["share_first"] == pytest.approx(0.5)


def test_few_systems_let_the_items_answer_first():
    def at(level, grouping, n_systems):
        replicates = drawn(a=(0.5, wobble(0.1)))
        replicates.level, replicates.grouping, replicates.n_systems = level, grouping, n_systems
        return recommend(replicates, "quality")

    few = [at("system", "none", 3), at("item", "none", 3), at("item", "item", 3)]
    many = [at("system", "none", 20), at("item", "none", 20), at("item", "item", 20)]
    assert primary(few) == {"criterion": "quality", "level": "item", "grouping": "item"}
    assert primary(many) == {"criterion": "quality", "level": "system", "grouping": "none"}
    assert primary([]) is None


def test_a_handful_of_systems_settles_nothing_at_system_level():
    """Four systems are in the right order by chance once in 24, whatever the resampled items say."""
    replicates = drawn(good=(1.0, wobble(0.0)), poor=(0.4, wobble(0.05)))
    replicates.n_systems, replicates.level = 4, "system"
    assert recommend(replicates, "quality").verdict == "open"
    replicates.level = "item"
    assert recommend(replicates, "quality").verdict == "clear"
