"""The [analysis] section of study.toml: options that hold unless others are given."""

import json

import pytest
from typer.testing import CliRunner

import validate
from validate.cli import app
from validate.errors import StudyError
from validate.schema import Settings
from validate.validation import Options
from validate.validation.analysis import analysis_problems, options_of

OUTPUTS = [("i1", "A", "one"), ("i1", "B", "two")]


def settings(**section):
    return Settings(raw={"analysis": section})


def test_what_is_given_comes_before_the_study_and_that_before_the_defaults(make_study):
    study = make_study(
        settings(resamples=20, unit="items", crosscheck="none", coefficients=["kendall"]), outputs=OUTPUTS
    )
    found = options_of(study, {"unit": "systems"})
    assert (found.resamples, found.unit, found.crosscheck_rows) == (20, "systems", 0)
    assert (found.coefficients, found.interval) == (("kendall",), Options().interval)


@pytest.mark.parametrize(
    ("section", "key", "part"),
    [
        ({"resample": 10}, "resample", "did you mean resamples?"),
        ({"resamples": "ten"}, "resamples", "a whole number, 2 or more"),
        ({"resamples": True}, "resamples", "a whole number, 2 or more"),
        ({"confidence": "95 %"}, "confidence", "between 0 and 1"),
        ({"unit": "item"}, "unit", "did you mean 'items'"),
        ({"crosscheck": "some"}, "crosscheck", "'all' or 'none'"),
        ({"coefficients": ["tau"]}, "coefficients", "coefficient"),
        ({"metrics": ["bleu"]}, "metrics", "is no key of [analysis]"),
    ],
)
def test_what_cannot_be_used_is_a_fault_of_the_study(make_study, section, key, part):
    study = make_study(settings(**section), outputs=OUTPUTS)
    with pytest.raises(StudyError) as caught:
        validate.run(study)
    (problem,) = caught.value.problems
    assert problem.column == f"analysis.{key}"
    assert part in str(problem)


def test_the_line_is_named(tmp_path):
    (tmp_path / "study.toml").write_text('name = "x"\n[analysis]\nresamples = 1\n')
    (problem,) = analysis_problems(settings(resamples=1), tmp_path)
    assert problem.line == 3


def test_the_command_line_comes_first_even_where_it_says_the_default(sample, tmp_path):
    import shutil

    study = tmp_path / "study"
    shutil.copytree(sample, study)
    with (study / "study.toml").open("a") as file:
        file.write('\n[analysis]\nresamples = 30\nunit = "items"\ncrosscheck = "none"\n')
    out = tmp_path / "out"
    arguments = ["validate", str(study), "--out", str(out), "--metrics", "bleu", "--unit", "both", "--quiet"]
    process = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert process.exit_code == 0, process.output
    options = json.loads((out / "run.json").read_text())["options"]
    assert (options["resamples"], options["unit"], options["crosscheck_rows"]) == (30, "both", 0)


def test_check_says_what_is_wrong(sample, tmp_path):
    import shutil

    study = tmp_path / "study"
    shutil.copytree(sample, study)
    with (study / "study.toml").open("a") as file:
        file.write("\n[analysis]\nresamples = 1\n")
    process = CliRunner().invoke(app, ["check", str(study)], catch_exceptions=False)
    assert process.exit_code == 1
    assert "resamples" in process.output
