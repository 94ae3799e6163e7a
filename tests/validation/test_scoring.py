"""The metric side of a study: what texts the metrics see."""

from dataclasses import replace

import numpy as np
import pytest

import validate
from validate.validation.scoring import rows_of, score_study

METRICS = ["bleu", "cer", "length(unit=codepoint)"]


@pytest.fixture
def accents(make_study):
    """One system writes é as one code point, as the reference does, the other as two."""
    return make_study(
        items=[("1", "CAFÉ", ["Un café noir, un café au lait"])],
        outputs=[
            ("1", "one", "Un café noir, un café au lait."),
            ("1", "two", "Un cafe\u0301 noir, un cafe\u0301 au lait."),
        ],
    )


def normalized(study, **how):
    return replace(study, settings=replace(study.settings, **how))


def test_two_forms_of_one_letter_differ_unless_the_study_says_otherwise(accents):
    plain = score_study(accents, METRICS).matrices
    # The full stop is one edit on 29 code points; the other system has two letters of two code points, two edits each.
    assert plain["cer"].values[:, 0].tolist() == [1 / 29, 5 / 29]
    alike = score_study(normalized(accents, normalization="NFC"), METRICS).matrices
    for matrix in alike.values():
        assert len(set(matrix.values[:, 0])) == 1 or matrix.name == "random"
        assert matrix.signature.endswith("|normalization:NFC|casing:none")


def test_every_text_is_normalized(accents):
    rows = rows_of(normalized(accents, normalization="NFD", casing="fold"))
    assert rows.outputs == ["un cafe\u0301 noir, un cafe\u0301 au lait."] * 2
    assert rows.references == [["un cafe\u0301 noir, un cafe\u0301 au lait"]] * 2
    assert rows.sources == ["cafe\u0301"] * 2


def test_the_scores_are_those_of_texts_normalized_by_hand(sample):
    study = validate.load(sample)
    frame = study.outputs.assign(output=study.outputs["output"].str.lower())
    items = study.items.assign(
        references=[[text.lower() for text in row] for row in study.items["references"]],
        source=study.items["source"].str.lower(),
    )
    by_hand = score_study(replace(study, outputs=frame, items=items), ["bleu", "chrf"]).matrices
    by_setting = score_study(normalized(study, casing="lower"), ["bleu", "chrf"]).matrices
    for name in ("bleu", "chrf"):
        np.testing.assert_array_equal(by_setting[name].values, by_hand[name].values)


def test_a_metric_whose_library_or_model_is_missing_is_left_out_and_said(make_study, monkeypatch):
    from dataclasses import replace as changed

    from validate import metrics
    from validate.errors import MissingExtraError, MissingModelError
    from validate.metrics import _registry

    def without_library(**options):
        raise MissingExtraError("mer", "no_such_library", "neural")

    class WithoutModel(type(metrics.get("wil"))):
        def count(self, batch):
            raise MissingModelError("wil: the model 'x' is nowhere")

    for name, make in (("mer", without_library), ("wil", WithoutModel)):
        monkeypatch.setitem(_registry._entries, name, changed(metrics.entries()[name], make=make))
    monkeypatch.setattr(_registry, "entries", lambda: dict(_registry._entries))
    study = make_study(items=[("1", "", ["a b"])], outputs=[("1", "one", "a c"), ("1", "two", "a")])
    scored = score_study(study, ["mer", "wil", "bleu"])
    assert list(scored.matrices) == ["bleu", "length", "length_ratio", "random"]
    assert list(scored.missing) == ["mer", "wil"]
    reasons = {entry["what"]: entry["reason"] for entry in scored.skipped}
    assert "the package 'no_such_library' is not installed" in reasons["mer"]
    assert reasons["wil"] == "the model 'x' is nowhere"
