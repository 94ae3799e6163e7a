"""Facts about the outputs and about all texts together."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np

from validate.loading.checks import joined
from validate.loading.facts.wording import are, by_size, largest, present, share
from validate.loading.folder import Folder
from validate.loading.scripts import READ, dominant_scripts
from validate.loading.tables import Table
from validate.schema import Fact

PAIRS_SHOWN = 20


def facts(folder: Folder) -> list[Fact]:
    """All facts of this room that are about something."""
    outputs = folder.tables["outputs"]
    found = [nul_characters(folder), mixed_unicode_forms(folder)]
    if len(outputs):
        known = references_of(folder)
        found += [
            empty_outputs(outputs),
            identical_outputs(outputs),
            missing_outputs(folder),
            unjudged_outputs(folder),
            outputs_equal_to_a_reference(outputs, known),
            different_script(outputs, known),
        ]
    return present(found)


def references_of(folder: Folder) -> dict[str, list[str]]:
    """The references of each item."""
    items = folder.tables["items"]
    found = items.labels["item_id"]
    names = [found.names[code] for code in found.codes.tolist()]
    return dict(zip(names, items.references, strict=True))


def per_system(outputs: Table, chosen: Iterable[int]) -> dict[str, int]:
    """How many of the chosen rows each system has, largest first."""
    systems = outputs.labels["system"]
    counts = np.bincount(systems.codes[list(chosen)], minlength=len(systems.names))
    return by_size(dict(zip(systems.names, counts.tolist(), strict=True)))


def empty_outputs(outputs: Table) -> Fact:
    """Outputs of nothing but white space: a metric that needs words has nothing to count in them."""
    rows = [row for row, text in enumerate(outputs.texts["output"]) if not text.strip()]
    counts = per_system(outputs, rows)
    text = f"{are(len(rows), 'output')} empty or white space ({share(len(rows), len(outputs))}): {largest(counts)}"
    return Fact("empty-outputs", len(rows), text, "warning", counts)


def outputs_equal_to_a_reference(outputs: Table, known: dict[str, list[str]]) -> Fact:
    """Outputs that are one of the references they would be scored against."""
    items = outputs.labels["item_id"]
    sets = [frozenset(known.get(name, ())) for name in items.names]
    found = zip(items.codes.tolist(), outputs.texts["output"], strict=True)
    rows = [row for row, (code, text) in enumerate(found) if text in sets[code] and text.strip()]
    counts = per_system(outputs, rows)
    all_of = per_system(outputs, range(len(outputs)))
    writers = [name for name, count in counts.items() if count * 2 >= all_of[name]]
    text = f"{are(len(rows), 'output')} one of the references of the item ({share(len(rows), len(outputs))}): {largest(counts)}"
    weight = "warning" if writers else "note"
    return Fact("outputs-equal-to-a-reference", len(rows), text, weight, counts)


def identical_outputs(outputs: Table) -> Fact:
    """Outputs that repeat the output of another system for the same item."""
    items, systems = outputs.labels["item_id"], outputs.labels["system"]
    writers: dict[tuple[int, str], list[int]] = {}
    rows = zip(items.codes.tolist(), outputs.texts["output"], systems.codes.tolist(), strict=True)
    for item, text, system in rows:
        writers.setdefault((item, text), []).append(system)
    groups = [group for (_, text), group in writers.items() if len(group) > 1 and text.strip()]
    pairs = Counter(pair for group in groups for pair in combinations(sorted(group), 2))
    counts = by_size({f"{systems.names[a]} = {systems.names[b]}": count for (a, b), count in pairs.items()})
    together = _items_together(outputs, pairs)
    same = [pair for pair, count in pairs.items() if count == together[pair] and count > 1]
    n_copies = sum(len(group) - 1 for group in groups)
    text = f"{are(n_copies, 'output')} the same as another system's output for the item; most often {largest(counts)}"
    if same:
        text += f"; {', '.join(f'{systems.names[a]} and {systems.names[b]}' for a, b in same[:3])} never differ"
    detail = dict(list(counts.items())[:PAIRS_SHOWN])
    return Fact("identical-outputs", n_copies, text, "warning" if same else "note", detail)


def _items_together(outputs: Table, pairs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """For pairs of systems, the number of items for which both have an output."""
    items, systems = outputs.labels["item_id"], outputs.labels["system"]
    of_system = {system: set(items.codes[systems.codes == system].tolist()) for pair in pairs for system in pair}
    return {(a, b): len(of_system[a] & of_system[b]) for a, b in pairs}


def missing_outputs(folder: Folder) -> Fact:
    """Cells of the grid of items and systems that have no output."""
    outputs = folder.tables["outputs"]
    n_items = len({*folder.tables["items"].labels["item_id"].names, *outputs.labels["item_id"].names})
    n_cells = n_items * len(outputs.labels["system"].names)
    n_missing = n_cells - len(outputs)
    have = per_system(outputs, range(len(outputs)))
    lacking = by_size({name: n_items - count for name, count in have.items()})
    text = f"{n_missing:,} of {n_cells:,} cells (item, system) have no output ({share(n_missing, n_cells)}): {largest(lacking)}"
    return Fact("missing-outputs", n_missing, text, "note", lacking)


def unjudged_outputs(folder: Folder) -> Fact:
    """Outputs that no rating and no comparison is about, where there are judgments."""
    outputs = folder.tables["outputs"]
    items, systems = outputs.labels["item_id"], outputs.labels["system"]
    sizes = [len(items.names), len(systems.names)]
    judged = [
        joined([table.labels["item_id"].codes_in(items.names), table.labels[column].codes_in(systems.names)], sizes)
        for table in (folder.tables["ratings"], folder.tables["comparisons"])
        for column in table.layout.system_columns
    ]
    rows = np.flatnonzero(~np.isin(joined([items.codes, systems.codes], sizes), np.concatenate(judged)))
    if not any(len(keys) for keys in judged):
        rows = rows[:0]
    counts = per_system(outputs, rows.tolist())
    text = f"{are(len(rows), 'output')} not judged ({share(len(rows), len(outputs))}): {largest(counts)}"
    return Fact("unjudged-outputs", len(rows), text, "note", counts)


def different_script(outputs: Table, known: dict[str, list[str]]) -> Fact:
    """Outputs in another script than every reference of their item."""
    names = [name for name, texts in known.items() for _ in texts]
    scripts: dict[str, set[str]] = {}
    for name, script in zip(names, dominant_scripts([text for texts in known.values() for text in texts]), strict=True):
        if script is not None:
            scripts.setdefault(name, set()).add(script)
    items = outputs.labels["item_id"]
    expected = [scripts.get(name) for name in items.names]
    found = zip(items.codes.tolist(), dominant_scripts(outputs.texts["output"]), strict=True)
    others = [
        (row, script)
        for row, (item, script) in enumerate(found)
        if script is not None and (right := expected[item]) is not None and script not in right
    ]
    counts = per_system(outputs, [row for row, _ in others])
    kinds = largest(Counter(script for _, script in others))
    text = f"{are(len(others), 'output')} in another script than the references ({kinds}; by the first {READ:,} characters of each text): {largest(counts)}"
    return Fact("different-script", len(others), text, "warning", counts)


def all_texts(folder: Folder) -> dict[str, Sequence[str]]:
    """Every text of the study, by what it is."""
    items = folder.tables["items"]
    return {
        "outputs": folder.tables["outputs"].texts["output"],
        "references": [text for texts in items.references for text in texts],
        "sources": items.texts["source"],
    }


def mixed_unicode_forms(folder: Folder) -> Fact:
    """Texts that are not in composed form where others are: é and e with an accent never match."""
    decomposed = counted(folder, lambda text: not unicodedata.is_normalized("NFC", text))
    composed = counted(folder, lambda text: not unicodedata.is_normalized("NFD", text)) if decomposed else {}
    total = sum(decomposed.values())
    also = "; others are, so equal words may not match" if composed else ""
    text = f"{are(total, 'text')} not in composed Unicode form (NFC): {largest(decomposed)}{also}"
    return Fact("mixed-unicode-forms", total, text, "warning" if composed else "note", decomposed)


def nul_characters(folder: Folder) -> Fact:
    """Texts that hold a NUL; they are kept as they are."""
    counts = counted(folder, lambda text: "\0" in text, only_wide=False)
    total = sum(counts.values())
    text = f"{plural_holds(total)} a NUL character, which is kept: {largest(counts)}"
    return Fact("nul-characters", total, text, "warning", counts)


def plural_holds(count: int) -> str:
    """``1 text holds``, ``2 texts hold``."""
    return f"{count:,} text holds" if count == 1 else f"{count:,} texts hold"


def counted(folder: Folder, truth: Callable[[str], bool], only_wide: bool = True) -> dict[str, int]:
    """How many texts of each kind are so; with ``only_wide`` ASCII texts are known not to be."""
    counts = {
        kind: sum(truth(text) for text in texts if not (only_wide and text.isascii()))
        for kind, texts in all_texts(folder).items()
    }
    return by_size(counts)
