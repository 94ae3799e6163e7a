"""Which references an output is held against.

An output that is itself a reference of its item (a human writer among the systems) would be compared with itself, so it
is held against the remaining references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from validate.errors import unknown_name
from validate.schema import Study

Policy = Literal["all", "equal"]
POLICIES = ("all", "equal")


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A writer of references among the systems: how many outputs are references, and how many had no other reference left."""

    system: str
    n_outputs: int
    n_left_out: int
    policy: str


def reference_writers(study: Study) -> tuple[str, ...]:
    """The systems whose outputs are references of their items.

    As the study says, or, under ``"auto"``, every system all of whose non-empty outputs equal one of their item's
    references. A model that hits the reference now and then is no writer of references: its hits are its merit.
    """
    said = study.settings.reference_writers
    if said == "none" or study.outputs.empty:
        return ()
    if not isinstance(said, str):
        for name in said:
            if name not in study.systems:
                raise unknown_name("study.toml: reference_writers", "system", name, study.systems)
        return tuple(said)
    references = _by_item(study)
    written: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for item, system, output in _outputs(study):
        if output.strip():
            written[system] += 1
            hits[system] += output in references.get(item, ())
    return tuple(system for system, count in written.items() if hits[system] == count)


def held_against(study: Study, policy: Policy = "all") -> tuple[list[list[str]], list[HeldOut]]:
    """The references of every output, row by row as in ``study.outputs``, and what was held out.

    Parameters
    ----------
    study : Study
    policy : {"all", "equal"}
        ``all``: a writer of references is held against the others' references, every other system against all of them.
        ``equal``: on an item where a writer lost a reference, the other systems are held against equally many; they lose
        one that a writer wrote, taken in turn over the items where several did.

    Raises
    ------
    OptionError
        For an unknown policy, or a writer in study.toml that is no system.
    """
    if policy not in POLICIES:
        raise unknown_name("references", "policy", policy, POLICIES)
    references = _by_item(study)
    writers = reference_writers(study)
    by_writers: dict[str, list[str]] = {}
    for item, system, output in _outputs(study):
        if system in writers and output in references.get(item, ()):
            by_writers.setdefault(item, []).append(output)
    shared_loss = {item: lost[turn % len(lost)] for turn, (item, lost) in enumerate(by_writers.items())}
    rows: list[list[str]] = []
    own, alone = Counter[str](), Counter[str]()
    for item, system, output in _outputs(study):
        lost = None
        if system in writers:
            lost = output if output in references.get(item, ()) else None
            own[system] += lost is not None
        elif policy == "equal":
            lost = shared_loss.get(item)
        rows.append([reference for reference in references.get(item, ()) if reference != lost])
        alone[system] += lost is not None and not rows[-1]
    return rows, [HeldOut(system, own[system], alone[system], policy) for system in writers]


def as_dicts(held_out: Iterable[HeldOut]) -> list[dict[str, Any]]:
    """For run.json."""
    return [
        {"system": held.system, "n_outputs": held.n_outputs, "n_left_out": held.n_left_out, "policy": held.policy}
        for held in held_out
    ]


def _outputs(study: Study) -> Iterable[tuple[str, str, str]]:
    frame = study.outputs
    return zip(frame["item_id"], frame["system"], frame["output"], strict=True)


def _by_item(study: Study) -> dict[str, list[str]]:
    return dict(zip(study.items["item_id"], study.items["references"], strict=True))
