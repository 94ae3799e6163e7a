"""What study.toml says of metrics is checked, and a study that names what is not there is refused."""

from pathlib import Path

import pytest

from validate.errors import OptionError, StudyError
from validate.schema import Settings
from validate.validation.chosen import chosen_metrics, metric_problems
from validate.validation.scoring import score_study

OUTPUTS = [("i1", "A", "one"), ("i1", "B", "two")]
THEIRS = [("i1", "A", "theirs", 0.5), ("i1", "B", "theirs", 0.25)]


def test_those_asked_for_come_before_those_of_the_study_and_those_before_the_default(make_study):
    study = make_study(Settings(metrics=("chrf",)), outputs=OUTPUTS)
    assert list(chosen_metrics(study, ["bleu"])) == ["bleu"]
    assert list(chosen_metrics(study)) == ["chrf"]
    assert "rougeL" in chosen_metrics(make_study(outputs=OUTPUTS))


def test_default_stands_for_the_default_set(make_study):
    default = list(chosen_metrics(make_study(outputs=OUTPUTS)))
    assert list(chosen_metrics(make_study(outputs=OUTPUTS), ["rouge1", "default", "rouge9"])) == [
        "rouge1",
        *(name for name in default if name != "rouge1"),
        "rouge9",
    ]


@pytest.mark.parametrize(
    ("settings", "key", "part"),
    [
        (Settings(metrics=("blue",)), "metrics", "there is no metric 'blue'; did you mean 'bleu'"),
        (Settings(metrics=("bleu(",)), "metrics", "'bleu(' cannot be read"),
        (Settings(metric_options={"bleu": {"tokeniser": "13a"}}), "metric_options.bleu", "did you mean 'tokenizer'"),
        (Settings(metric_options={"bleu": {"max_order": 0}}), "metric_options.bleu", "max_order=0 was given"),
        (
            Settings(metric_options={"theirz": {"higher_is_better": False}}),
            "metric_options.theirz",
            "is neither a metric of accord nor one of the metrics file; did you mean 'theirs'?",
        ),
        (Settings(metric_options={"theirs": {"tokenizer": 1}}), "metric_options.theirs.tokenizer", "made elsewhere"),
    ],
)
def test_what_does_not_exist_is_a_fault_of_the_study(make_study, settings, key, part):
    study = make_study(settings, outputs=OUTPUTS, metric_scores=THEIRS)
    with pytest.raises(StudyError) as caught:
        score_study(study)
    (problem,) = caught.value.problems
    assert (problem.kind, problem.file, problem.column) == ("unknown-metric", str(Path("study/study.toml")), key)
    assert part in str(problem)


def test_what_does_not_exist_on_the_command_line_is_a_wrong_command(make_study):
    with pytest.raises(OptionError, match="did you mean 'bleu'"):
        chosen_metrics(make_study(outputs=OUTPUTS), ["blue"])


def test_the_line_is_named_where_there_is_a_file(tmp_path):
    (tmp_path / "study.toml").write_text('name = "x"\n[metric_options.theirs]\nhigher_is_better = false\n')
    settings = Settings(metric_options={"theirs": {"higher_is_better": False}})
    (problem,) = metric_problems(settings, tmp_path, given=[])
    assert problem.line == 2
    assert not metric_problems(settings, tmp_path, given=None)  # the metrics file could not be read: it may be there


def test_scores_from_elsewhere_keep_names_of_their_own(make_study):
    """ "bleu (given)" is the name that the file's "bleu" would get, and a metric of the file as well."""
    scores = [("i1", "A", name, score) for name, score in (("bleu", 1.0), ("bleu (given)", 2.0), ("theirs", 3.0))]
    study = make_study(items=[("i1", "", ["three"])], outputs=OUTPUTS, metric_scores=scores)
    found = {label: matrix.values[0, 0] for label, matrix in score_study(study, ["bleu"]).matrices.items()}
    expected = {"bleu": 0.0, "bleu (given) (given)": 1.0, "bleu (given)": 2.0, "theirs": 3.0}
    assert {label: found[label] for label in found if label in expected} == expected


def test_why_metrics_that_need_references_are_left_out(make_study):
    without = score_study(make_study(items=[("i1", "", [])], outputs=OUTPUTS), ["bleu"])
    assert without.skipped[0]["reason"] == "it needs references, and no item has any"
    written = score_study(make_study(items=[("i1", "", ["one", "one"])], outputs=OUTPUTS[:1]), ["bleu"])
    assert written.skipped[0]["reason"] == (
        "it needs references, and none is left: the outputs of 'A' are the references themselves"
    )


def test_a_file_that_a_metric_needs_is_looked_for_in_the_studys_folder(make_study, tmp_path):
    from dataclasses import replace

    pytest.importorskip("jsonschema")
    (tmp_path / "answer.json").write_text('{"type": "object"}')
    outputs = [("i1", "A", '{"a": 1}'), ("i1", "B", "[1]")]
    by_options = Settings(metrics=("json_validity",), metric_options={"json_validity": {"schema": "answer.json"}})
    for settings in (Settings(metrics=("json_validity(schema=answer.json)",)), by_options):
        study = replace(make_study(settings, outputs=outputs), path=tmp_path)
        (matrix,) = [one for label, one in score_study(study).matrices.items() if label.startswith("json")]
        assert matrix.values[:, 0].tolist() == [1.0, 0.0]
    with pytest.raises(StudyError, match=r"answer\.json"):
        score_study(make_study(by_options, outputs=outputs))
