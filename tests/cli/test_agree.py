"""``accord agree``: what it prints on 80 columns, what it returns as JSON, who stands out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from validate import human, loading, stats
from validate.cli import main
from validate.cli.agree import agree
from validate.errors import OptionError

app = typer.Typer()
app.command()(agree)

FEW = ["--resamples", "50"]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments, *FEW], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output.replace("\xa0", " ")


def flat(text: str) -> str:
    return " ".join(text.split())


def write(folder: Path, ratings: list[dict[str, object]] = (), comparisons: list[dict[str, object]] = ()) -> Path:  # type: ignore[assignment]
    judged = [*ratings, *comparisons]
    systems = sorted({str(row[name]) for row in judged for name in ("system", "system_a", "system_b") if name in row})
    items = sorted({str(row["item_id"]) for row in judged})
    outputs = [{"item_id": item, "system": system, "output": "x"} for item in items for system in systems]
    for name, rows in (("outputs", outputs), ("ratings", ratings), ("comparisons", comparisons)):
        if rows:
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def rating(item: int, annotator: str, score: float, criterion: str = "fluency") -> dict[str, object]:
    return {"item_id": f"i{item}", "system": "s", "annotator": annotator, "criterion": criterion, "score": score}


def seen(item: int, first: str, second: str, annotator: str | None, winner: str) -> dict[str, object]:
    row = {"item_id": f"i{item}", "system_a": first, "system_b": second, "winner": winner, "criterion": "overall"}
    return row if annotator is None else {**row, "annotator": annotator}


@pytest.mark.parametrize("width", ["80", "60"])
def test_every_line_fits(sample: Path, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    output = run(str(sample))
    assert max(map(len, output.splitlines())) <= int(width)
    for heading in ("adequacy: ratings by 5 annotators", "preference: comparisons by 3 annotators"):
        assert heading in output


def test_the_tables_are_the_statistics(sample: Path) -> None:
    found = json.loads(run(str(sample), "--json"))
    assert [one["criterion"] for one in found["criteria"]] == ["adequacy", "fluency", "preference"]
    study = loading.load(sample)
    judged = human.ratings(study, "fluency")
    rows = {(row["statistic"], row["measurement"]): row for row in found["criteria"][1]["agreement"]}
    alpha = stats.krippendorff_alpha(judged, "ordinal", interval=None)
    assert rows["krippendorff_alpha", "ordinal"]["estimate"] == alpha.value
    icc = stats.icc(judged, form="ICC(A,1)")
    assert [rows["icc(2,1)", "interval"][name] for name in ("estimate", "low", "high")] == [
        icc.value,
        icc.low,
        icc.high,
    ]
    preferences = human.preferences(study, "preference")
    wmt = [row for row in found["criteria"][2]["agreement"] if row["statistic"] == "wmt_kappa"]
    assert wmt[0]["estimate"] == stats.wmt_kappa(preferences, interval=None).value


def test_one_criterion_has_the_same_numbers_as_among_all(sample: Path) -> None:
    whole = json.loads(run(str(sample), "--json"))["criteria"]
    alone = json.loads(run(str(sample), "--json", "--criterion", "fluency"))["criteria"]
    assert alone == [whole[1]]
    with pytest.raises(OptionError, match="did you mean 'fluency'"):
        run(str(sample), "--criterion", "fluncy")


def test_a_careless_annotator_stands_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = []
    for item in range(60):
        truth = rng.integers(1, 6)
        rows += [rating(item, name, int(np.clip(truth + rng.integers(-1, 2), 1, 5))) for name in ("Ann", "Bo", "Cy")]
        rows.append(rating(item, "Di", int(rng.integers(1, 6))))
    output = run(str(write(tmp_path, rows)))
    lines = [line for line in output.splitlines() if line.startswith("! ")]
    assert [line.split()[1] for line in lines] == ["Di", "agrees"]  # the row, and what the mark means
    # every unit was judged by all four
    assert "Kendall’s W" in output
    assert "undefined" not in output


def test_sixty_good_annotators_hide_no_careless_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = []
    for item in range(200):
        truth = rng.integers(1, 6)
        rows += [
            rating(item, f"a{who:02}", int(np.clip(truth + rng.integers(-1, 2), 1, 5)))
            for who in rng.choice(60, 5, replace=False)
        ]
        rows.append(rating(item, "zed", int(rng.integers(1, 6))))
    output = run(str(write(tmp_path, rows)))
    assert "! zed" in output
    assert "the 24 who agree least of 61; --json has all" in flat(output)


def test_two_annotators_have_cohens_kappa(tmp_path: Path) -> None:
    rows = [rating(item, name, score) for name, scores in (("Ann", "11223"), ("Bo", "11233")) for item, score in enumerate(map(int, scores))]  # fmt: skip
    output = run(str(write(tmp_path, rows)))
    # p_o = 4/5, p_e = (2 * 2 + 2 * 1 + 1 * 2) / 25 = 8/25: (20 - 8) / (25 - 8)
    line = next(line for line in output.splitlines() if line.startswith("Cohen’s κ, nominal"))
    assert line.split()[3].startswith("0.7")
    assert "Cohen’s κ, interval" in output


def test_a_single_annotator_agrees_with_nobody(tmp_path: Path) -> None:
    output = run(str(write(tmp_path, [rating(item, "Ann", item % 3) for item in range(5)])))
    assert "fluency: ratings by 1 annotator\nno unit has two judgments" in output


def test_repeats_with_swapped_sides(tmp_path: Path) -> None:
    rows = [
        seen(0, "A", "B", "Ann", "a"), seen(0, "B", "A", "Ann", "b"),  # A both times
        seen(1, "A", "B", "Ann", "a"), seen(1, "B", "A", "Ann", "a"),  # the first side both times
        seen(0, "A", "B", "Bo", "a"), seen(1, "A", "B", "Bo", "b"),
        seen(0, "A", "B", None, "a"), seen(0, "A", "B", None, "b"),  # two people, as far as anyone knows
    ]  # fmt: skip
    folder = write(tmp_path, comparisons=rows)
    output = run(str(folder))
    assert "Ann 2 50% 2 50% 50% 0%" in flat(output)
    assert "over 2 repeated" in output
    found = json.loads(run(str(folder), "--json"))["criteria"][0]
    assert [row["annotator"] for row in found["repeats"]] == ["Ann"]
    assert (found["self_consistency"]["value"], found["self_consistency"]["n"]) == (0.5, 2)


def test_repeated_ratings_show_their_difference(tmp_path: Path) -> None:
    rows = [rating(item, "Ann", score) for item, score in enumerate((3, 4, 2))] + [
        rating(0, "Ann", 3),
        rating(1, "Ann", 2),
    ]
    output = flat(run(str(write(tmp_path, rows))))
    assert "own repeats repeated same difference Ann 2 50% 1.00" in output


def test_a_study_without_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command is right and the data is not: exit code 1."""
    (tmp_path / "outputs.jsonl").write_text('{"item_id": "i", "system": "s", "output": "x"}\n')
    for command in ("agree", "rank"):
        with pytest.raises(SystemExit) as stopped:
            main([command, str(tmp_path)])
        assert stopped.value.code == 1
        assert "has no judgments; ratings or comparisons are needed" in capsys.readouterr().err
