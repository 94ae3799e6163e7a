"""What a run says of its stages while it runs and afterwards."""

import pytest

from validate.cli import progress
from validate.telling import tell
from validate.validation.stages import Stages


class Heard:
    def __init__(self):
        self.lines = []

    def start(self, stage, total):
        self.lines.append(("start", stage, total))

    def step(self, label):
        self.lines.append(("step", label))

    def note(self, message):
        self.lines.append(("note", message))


def test_whatever_is_told_during_a_stage_is_passed_on():
    heard = Heard()
    stages = Stages(heard)
    tell("before")
    with stages.stage("scoring", total=2):
        stages.step("bleu")
        tell("half of the texts")
    tell("after")
    assert heard.lines == [("start", "scoring", 2), ("step", "bleu"), ("note", "half of the texts")]
    (entry,) = stages.log
    assert entry["stage"] == "scoring"
    assert entry["seconds"] >= 0


def test_a_log_hears_of_long_work_now_and_then(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    lines = progress._Lines()
    for second in range(31):
        now[0] = float(second)
        lines.note(f"{second} texts")
    assert capsys.readouterr().err.split() == ["10", "texts", "20", "texts", "30", "texts"]


@pytest.mark.parametrize("name", ["start", "step", "note"])
def test_every_listener_has_all_that_is_said(name):
    from validate.validation.stages import Silent

    assert all(hasattr(one, name) for one in (Silent, progress._Lines, progress._Bar))
