"""A study goes on without a neural metric whose extra or model is missing, and says so."""

import importlib

import pytest

from validate.errors import MissingExtraError, MissingModelError
from validate.metrics.neural import _encoder, _torch
from validate.validation.scoring import score_study


@pytest.fixture
def study(make_study):
    return make_study(
        items=[("i1", "", ["the cat sat"]), ("i2", "", ["the dog ran"])],
        outputs=[("i1", "s1", "the cat"), ("i1", "s2", "a cat sat"), ("i2", "s1", "dog"), ("i2", "s2", "")],
    )


def skipped(scored, label):
    (row,) = [row for row in scored.skipped if row["what"] == label]
    assert row["n"] == 4
    return row["reason"]


def test_without_the_extra(study, monkeypatch):
    straight = importlib.import_module

    def without(name, *rest):
        if name == "torch":
            raise ImportError(name)
        return straight(name, *rest)

    monkeypatch.setattr(_torch.importlib, "import_module", without)
    scored = score_study(study, ["bertscore", "moverscore", "rouge1"])
    assert "rouge1" in scored.matrices
    assert not {"bertscore", "moverscore"} & set(scored.matrices)
    for label in ("bertscore", "moverscore"):
        assert skipped(scored, label).startswith(
            "the package 'torch' is not installed; it comes with accord's extra 'neural'; "
        )


def test_without_the_model(study, monkeypatch):
    pytest.importorskip("torch")

    def nowhere(who, model):
        raise MissingModelError(f"{who}: the model {model!r} is neither a folder nor in the model cache")

    monkeypatch.setattr(_encoder, "find", nowhere)
    scored = score_study(study, ["bertscore(model=my/own, layer=3)", "rouge1"])
    assert "rouge1" in scored.matrices
    assert "the model 'my/own' is neither" in skipped(scored, "bertscore(model=my/own, layer=3)")


def test_with_both_it_is_scored_beside_the_others(study):
    for package in ("torch", "transformers"):
        pytest.importorskip(package)
    from tiny_models import tiny_bert

    label = f"bertscore(model={tiny_bert()}, layer=2)"
    scored = score_study(study, [label, "rouge1"])
    assert label in scored.matrices
    assert scored.matrices[label].values[1, 1] == 0  # the empty output
    assert "|model:tiny-bert@" in scored.matrices[label].signature
    assert str(tiny_bert()) not in scored.matrices[label].signature
    assert [fact.name for labels, fact in scored.notes if label in labels] == ["empty-texts"]


def test_both_errors_are_ours():
    assert issubclass(MissingExtraError, ValueError)
    assert issubclass(MissingModelError, ValueError)
