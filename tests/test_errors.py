"""Messages fit on their lines and name the nearest right word."""

import pytest

from validate.errors import Problem, unknown_name


@pytest.mark.parametrize(
    ("got", "hint"),
    [("blue", "did you mean 'bleu'? "), ("ROUGE1", "did you mean 'rouge1'? "), ("zzz", ""), (5, ""), (None, "")],
)
def test_whatever_was_given_the_answer_is_what_is_allowed(got, hint):
    said = str(unknown_name("metrics", "metric", got, ["bleu", "rouge1", "rougeL"]))
    assert said == f"metrics: there is no metric {got!r}; {hint}allowed: bleu, rouge1, rougeL"


def test_a_column_with_a_line_end_in_its_name_stays_on_one_line():
    said = str(Problem("kind", "outputs.csv", 1, "a\nb", "", "is not known", "rename it"))
    assert said == "outputs.csv:1 ['a\\nb'] is not known; rename it"
