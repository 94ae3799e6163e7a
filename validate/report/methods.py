"""The methods of a study in plain words: what was scored, correlated, resampled and tested, with the definitions in use."""

from __future__ import annotations

from markupsafe import Markup

from validate.report import words
from validate.report.numbers import count_text, exact_text, p_text, real, share_text
from validate.report.reading import Reading
from validate.report.words import listing, sentence
from validate.results import LEAVE_ONE_OUT, SPLIT_HALF
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
    return text + (_PERFECT if _perfect(reading) else "")


def _perfect(reading: Reading) -> bool:
    """Whether some rank correlation over systems is 1 or -1 and has an interval by formula, which takes it half a step off."""
    frame, interval = reading.results.correlations, str(reading.options.get("interval") or "percentile")
    if interval not in ("auto", "analytic", "corrected"):
        return False
    of_ranks = (
        (frame["level"] == "system") & frame["unit"].isin(["both", "systems"]) & (frame["coefficient"] != "pearson")
    )
    return bool((of_ranks & (frame["estimate"].abs() >= 1 - 1e-12) & (frame["low"] < frame["high"])).any())


_PERFECT = Markup(
    " A rank correlation of 1 or −1 over few systems does not make the next system certain: its interval is computed from the middle between it "
    "and the next value that so many systems can have, and ends at 1 or −1."
)


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
    text = sentence("Two metrics are compared in pairs, on the same resamples; the test is: {}. ", ", ".join(tests))
    if smallest == smallest:
        text += sentence(
            "p-values {} (smallest here: {}); adjusted ones allow for the number of pairs compared. ",
            _p_values(tests),
            p_text(smallest),
        )
    text += sentence("Metrics whose difference has an interval that reaches zero are not told apart.")
    if len(reading.results.metric_ranks):
        text += sentence(" {}", _RANKS)
    return text


def _p_values(tests: list[str]) -> Markup:
    """Where p comes from."""
    for beginning, told in _PERMUTED.items():
        if any(test.startswith(beginning) for test in tests):
            return told
    return _CORRECTED if any("corrected" in test for test in tests) else _COUNTED


_COUNTED = Markup("count the observed order among the resamples, so that none is zero")
_CORRECTED = Markup("come from the same standard error as the interval")
_PERMUTED = {
    "permutation over systems": Markup(
        "count how often a difference as large comes about when the two metrics’ scores of whole systems are exchanged at random, so that "
        "none is zero; the intervals are still those of the bootstrap, so that p and interval can disagree near the edge"
    ),
    "permutation over items": Markup(
        "count how often a difference as large comes about when the two metrics’ scores of all outputs of an item are exchanged at random, so "
        "that none is zero; the intervals are still those of the bootstrap, so that p and interval can disagree near the edge"
    ),
}
_RANKS = Markup(
    "Ranks of metrics: from the best down, one that is significantly worse (p adjusted by Holm) than any metric of the present rank begins the "
    "next; an equal rank says that no difference was shown, not that there is none."
)


def _agreement(reading: Reading) -> Markup:
    frame = reading.results.agreement
    if not len(frame):
        return Markup("")
    measurements = [str(name) for name in frame["measurement"].dropna().unique() if name]
    text = sentence("Agreement is percent agreement and chance-corrected: ")
    aside = ("percent", "self_consistency")
    named = [words.statistic_name(name) for name in frame["statistic"].unique() if name not in aside]
    text += sentence("{} ({} measurement). ", listing(named, len(named)), ", ".join(measurements) or "nominal")
    if "self_consistency" in set(frame["statistic"]):
        text += _REPEATS
    ways = [str(way) for way in reading.results.ceiling["method"].dropna()]
    told = [text for beginning, text in _CEILINGS.items() if any(way.startswith(beginning) for way in ways)]
    return text + Markup(" ").join(told)


_REPEATS = Markup("Self-consistency is the share of an annotator’s repeated judgments that came out alike. ")
_CEILINGS = {
    LEAVE_ONE_OUT: Markup(
        "For the human ceiling each annotator takes the place of a metric: the annotator’s scores are held against the mean of all the "
        "others’, over the outputs that both judged, and the coefficients are averaged over annotators, weighted by the number of these "
        "outputs. Its intervals resample items only."
    ),
    SPLIT_HALF: Markup(
        "The reliability of the mean judgment comes from random halves of the annotators, whose means are held against each other and stepped up to "
        "the number of annotators (Spearman and Brown; Horst where halves are unequal). A correlation divided by the root of the reliability at the "
        "same level and by the same coefficient is what is called corrected for attenuation; this is done for Pearson’s r, and for Spearman’s ρ, for "
        "which it holds nearly, and not for Kendall’s τ, for which it does not."
    ),
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
    text = sentence("Systems are ranked {}.", Markup("; ").join(parts)) if parts else Markup("")
    return text + (_clusters(reading) if {"win-rate", "bradley-terry"} & set(frame["method"]) else "")


def _clusters(reading: Reading) -> Markup:
    """What the intervals of comparisons take to hang together, and where that says little."""
    kinds = [one for one in reading.criterion_facts.values() if one.get("kind") == "comparisons"]
    several = [n for one in kinds if (n := int(one.get("n_annotators") or 0)) > 1]
    if not several:
        return _BY_ITEM
    if min(several) >= FEW_ANNOTATORS:
        return _BY_BOTH
    few = " With {} that makes them wide, since so few people say little about others."
    return _BY_BOTH + sentence(few, count_text(min(several), "annotator"))


FEW_ANNOTATORS = 10
_BY_ITEM = Markup(
    " Intervals of comparisons take judgments of one item to hang together; of other annotators they say nothing, since there is one only."
)
_BY_BOTH = Markup(
    " Intervals of comparisons take judgments of one item to hang together, and those by one annotator, too."
)
