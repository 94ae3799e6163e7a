"""The methods of a study in plain words: what was scored, correlated, resampled and tested, with the definitions in use."""

from __future__ import annotations

from markupsafe import Markup

from validate.report import words
from validate.report.numbers import count_text, exact_text, p_text, real, share_text
from validate.report.reading import Reading
from validate.report.words import listing, sentence
from validate.stats.support import settle_interval


def methods(reading: Reading) -> list[tuple[str, Markup]]:
    """Paragraphs with their run-in headings; only what this study did is described."""
    parts = [("Judgments", _judgments(reading))]
    if reading.places:
        parts += [
            ("Scores", _scores(reading)),
            ("Correlation", _correlation(reading)),
            ("Intervals", _intervals(reading)),
            ("Differences", _differences(reading)),
        ]
    parts += [("Agreement", _agreement(reading)), ("Ranking", _ranking(reading))]
    return [(heading, text) for heading, text in parts if text]


def _judgments(reading: Reading) -> Markup:
    kinds = {name: one.get("kind") for name, one in reading.criterion_facts.items()}
    rated = [name for name, kind in kinds.items() if kind == "ratings"]
    compared = [name for name, kind in kinds.items() if kind == "comparisons"]
    text = Markup("")
    if rated:
        how = "z-scores within each annotator" if reading.options.get("human") == "z-score" else "scores"
        text += sentence("The human score of an output for {} is the mean of its annotators’ {}. ", listing(rated), how)
    if compared:
        text += sentence(
            "For {}, people compared pairs of outputs; the human score of an output is the share of its comparisons that it won; a tie "
            "is half a win for each side, and so is “both bad”. ",
            listing(compared),
        )
    if reading.simulated:
        text += sentence("The judgments were simulated by a program with a stated model of annotators. ")
    return text


def _scores(reading: Reading) -> Markup:
    text = sentence(
        "A metric’s score of a system is its corpus score over the outputs that were judged, which for ratios such as BLEU is not the mean "
        "of its item scores. A positive correlation always means agreement: the sign is turned where lower is better."
    )
    lower = [name for name in reading.metrics if not reading.higher_is_better(name)]
    return text + (sentence(" Here that is so for {}.", listing(lower, 8)) if lower else Markup(""))


_PLACES = {
    ("system", "none"): "At the system level a pair of numbers is a system’s metric score and its human score.",
    ("item", "none"): "At the item level pooled, a pair is one output’s two scores, over all outputs at once.",
    ("item", "item"): "Within items, the coefficient is taken over the outputs for one item and averaged over items.",
    ("item", "system"): "Within systems, it is taken over the outputs of one system and averaged over systems.",
}
_COEFFICIENTS = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ (Pearson’s r of ranks, tied values sharing their mean rank)",
    "kendall": "Kendall’s τ-b (which corrects for ties on both sides)",
}


def _correlation(reading: Reading) -> Markup:
    named = [_COEFFICIENTS.get(name, name) for name in reading.coefficients]
    used = [words.coefficient_name(reading.coefficient)]
    levels = dict.fromkeys((place.level, place.grouping) for place in reading.places)
    text = sentence("Coefficients are {}; the choice rests on {}. ", "; ".join(named), used[0])
    text += Markup(" ").join(_PLACES[level] for level in levels if level in _PLACES)
    return text + sentence(
        " A group in which one side does not vary has no correlation; it is left out of the mean and counted, never set to zero. "
        "Whatever is undefined is shown as undefined, with the reason."
    )


def _intervals(reading: Reading) -> Markup:
    frame = reading.results.correlations
    units = [words.unit_name(str(unit)) for unit in frame["unit"].dropna().unique() if unit]
    resamples = sorted({int(n) for n in frame["resamples"].dropna().unique() if n})
    text = sentence(
        "Intervals are {} intervals. A bootstrap draws {} with replacement; all metrics meet the same resamples. {}",
        share_text(reading.options.get("confidence", 0.95)), " or ".join(units) or "items", _ends(reading),
    )  # fmt: skip
    if resamples:
        text += sentence(
            " There are {} from seed {}.",
            count_text(resamples[-1], "resample"),
            exact_text(reading.run.get("seed", reading.options.get("seed"))),
        )
    return text


def _ends(reading: Reading) -> Markup:
    """Where the ends of the correlations' intervals come from, levels with the same kind of interval together."""
    interval, unit = str(reading.options.get("interval") or "percentile"), str(reading.options.get("unit") or "both")
    levels: dict[str, list[str]] = {}
    for level in dict.fromkeys(place.level for place in reading.places):
        levels.setdefault(settle_interval("report", interval, level, unit), []).append(level)
    return Markup(" ").join(
        sentence("At the {} level the ends of an interval are {}.", listing(where), _INTERVALS.get(name, name))
        for name, where in levels.items()
    )


_INTERVALS = {
    "percentile": "quantiles of the resampled coefficients",
    "basic": "quantiles of the resampled coefficients, mirrored at the estimate",
    "bca": "quantiles of the resampled coefficients, moved for bias and skewness (BCa)",
    "corrected": "a standard error away on Fisher’s z scale, by Student’s t; each source of chance counts once in that error, while two "
    "axes resampled at once would count some of it twice",
    "analytic": "a standard error away on Fisher’s z scale, by a formula that takes systems as independent",
}


def _differences(reading: Reading) -> Markup:
    frame = reading.results.significance
    if not len(frame):
        return Markup("")
    tests = [str(test) for test in frame["test"].dropna().unique() if test]
    smallest = min((real(p) for p in frame["p"].dropna()), default=float("nan"))
    text = sentence("Two metrics are compared in pairs, on the same resamples ({}). ", ", ".join(tests))
    if smallest == smallest:
        how = (
            "come from the same standard error as the interval"
            if any("corrected" in test for test in tests)
            else _COUNTED
        )
        text += sentence(
            "p-values {} (smallest here: {}); adjusted ones allow for the number of pairs compared. ",
            how,
            p_text(smallest),
        )
    return text + sentence("Metrics whose difference has an interval that reaches zero are not told apart.")


_COUNTED = "count the observed order among the resamples, so that none is zero"


def _agreement(reading: Reading) -> Markup:
    frame = reading.results.agreement
    if not len(frame):
        return Markup("")
    measurements = [str(name) for name in frame["measurement"].dropna().unique() if name]
    text = sentence("Agreement is percent agreement and chance-corrected: ")
    named = [words.statistic_name(name) for name in frame["statistic"].unique() if name != "percent"]
    text += sentence("{} ({} measurement). ", " and ".join(named), ", ".join(measurements) or "nominal")
    ways = dict.fromkeys(str(way).split(",")[0] for way in reading.results.ceiling["method"].dropna() if way)
    told = [_CEILINGS.get(way, sentence("The human ceiling: {}.", way)) for way in ways]
    return text + Markup(" ").join(told)


_CEILINGS = {
    "leave one annotator out": Markup(
        "For the human ceiling each annotator takes the place of a metric: the annotator’s scores are held against the mean of all the "
        "others’, over the outputs that both judged, and the coefficients are averaged over annotators, weighted by the number of these "
        "outputs. Its intervals resample items only."
    )
}


_RANKINGS = {
    "mean": "the mean human score",
    "z-score": "the mean of z-scores",
    "win-rate": "the share of comparisons won, a tie or “both bad” being half a win for each side",
    "bradley-terry": "Bradley–Terry strengths, a tie or “both bad” being half a win for each side, on the log scale with mean 0 in each connected group of systems",
}


def _ranking(reading: Reading) -> Markup:
    frame = reading.results.ranking
    parts = []
    for method in frame["method"].dropna().unique():
        names = [str(name) for name in frame.loc[frame["method"] == method, "criterion"].unique()]
        parts.append(sentence("for {} by {}", listing(names, 6), _RANKINGS.get(str(method), str(method))))
    return sentence("Systems are ranked {}.", Markup("; ").join(parts)) if parts else Markup("")
