"""The table of what there is, and the registry behind it."""

from __future__ import annotations

import pytest

from validate import metrics
from validate.errors import OptionError

DEFAULT = [
    "bleu", "cer", "chrf", "chrf++", "edit_distance", "exact_match", "lcs", "length", "length_ratio", "random", "rouge1",
    "rouge2", "rougeL", "rougeLsum", "token_f1", "wer",
]  # fmt: skip


def test_one_row_a_metric() -> None:
    rows = metrics.describe()
    assert [row["name"] for row in rows] == metrics.names()
    assert len({row["name"] for row in rows}) == len(rows)


def test_the_default_set_holds_the_lexical_metrics() -> None:
    assert set(DEFAULT) <= {row["name"] for row in metrics.describe() if row["default"]}


def test_options_with_their_defaults() -> None:
    rows = {row["name"]: row for row in metrics.describe()}
    assert rows["bleu"]["options"] == {
        "max_order": 4,
        "smoothing": "exp",
        "smooth_value": None,
        "tokenizer": "13a",
        "lowercase": False,
        "effective_order": None,
    }
    assert rows["chrf"]["options"]["word_order"] == 0
    assert rows["chrf++"]["options"]["word_order"] == 2
    assert rows["rouge2"]["options"] == {
        "stem": False,
        "part": "f",
        "multi_reference": "max",
        "tokenizer": "rouge-score",
    }


def test_where_ours_differs_is_said() -> None:
    differs = {row["name"]: row["differs"] for row in metrics.describe() if row["differs"]}
    assert set(differs) >= {"bleu", "wer"}
    assert "blank reference" in differs["bleu"]


def test_signatures_are_pinned() -> None:
    """Published numbers carry these lines; a change of wording is a change that a reader has to be told about."""
    assert metrics.get("bleu", smoothing="floor").signature.rsplit("|", 1)[0] == (
        "bleu|max_order:4|smoothing:floor|smooth_value:0.1|tokenizer:13a|lowercase:no|effective_order:items"
    )
    assert metrics.get("rougeL", stem=True).signature.rsplit("|", 1)[0] == (
        "rougeL|stem:yes|part:f|multi_reference:max|tokenizer:rouge-score"
    )


def test_an_unknown_metric_gets_the_nearest() -> None:
    with pytest.raises(
        OptionError, match=r"metrics: there is no metric 'blue'; did you mean 'bleu'\? allowed: .*bleu, cer"
    ):
        metrics.get("blue")


def test_a_name_can_be_taken_once() -> None:
    metrics.names()
    with pytest.raises(OptionError, match="the name 'bleu' is registered twice"):
        metrics.register("bleu", metrics.entries()["bleu"].make)


def test_options_are_keywords() -> None:
    with pytest.raises(OptionError, match=r"write metrics\.get\('bleu', option=value\)"):
        metrics.get("bleu(tokenizer=intl)")


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("bleu", "max_order"),
        ("chrf", "char_order"),
        ("cider", "n"),
        ("gleu", "max_order"),
        ("nist", "n"),
        ("ngram_perplexity", "order"),
    ],
)
def test_orders_of_ngrams_have_an_end(name: str, option: str) -> None:
    with pytest.raises(OptionError, match="a whole number from 1 to 100"):
        metrics.get(name, **{option: 999_999_999})
