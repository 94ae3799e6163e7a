"""A metric and its options on one line."""

from __future__ import annotations

import pytest

from validate.errors import OptionError
from validate.metrics._spec import parse


def test_nan_is_the_name_of_a_policy() -> None:
    label, metric = parse("wer(empty_reference=nan)")
    assert label == "wer(empty_reference=nan)"
    assert metric.options["empty_reference"] == "nan"
    assert parse(label)[1].signature == metric.signature


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bleu(smoothing=floor, smooth_value=nan)", "smooth_value='nan' was given; allowed: a number, 0 or more"),
        ("cider(sigma=-inf)", "sigma='-inf' was given"),
        ("bleu(tokenizer=13a, tokenizer=zh)", "'tokenizer' stands twice in 'bleu.*once is allowed; keep one"),
        ("bleu(name=chrf)", "metric 'bleu': there is no option 'name'"),
        ("bleu(tokenizer)", "the option 'tokenizer' in .* has no value"),
    ],
)
def test_options_that_cannot_be_read(spec: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse(spec)
