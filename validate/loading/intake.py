"""What somebody else's table means: which column is which, and whether it is in long, wide or pairwise form."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from validate.errors import OptionError, listed, unknown_name
from validate.formats.roles import CRITERIA, METADATA, ROLES, names_an_output, normal, role_of
from validate.formats.rows import Rows

LONG, WIDE, PAIRS = "long", "wide", "pairs"
FORMS = {
    LONG: "long form: a row per output or judgment",
    WIDE: "wide form: a row per item, a column per system",
    PAIRS: "pairwise form: a row per comparison",
}
METADATA_ROLE = "metadata"

SEVERAL = ("references", "systems", "scores")
"""Roles that several columns may have; ``systems`` hold outputs of one system each, ``scores`` ratings of one criterion each."""

MAPPABLE = (*ROLES, "systems", "scores")


@dataclass(slots=True)
class Understanding:
    """What the columns of a table mean.

    Parameters
    ----------
    form : "long", "wide", "pairs" or ""
        "" where it could not be told; ``refusal`` then says why.
    roles : dict of str to str
        The role of each column, in the order of the file.
    notes : list of str
        What was concluded and should be confirmed.
    refusal : str
        Why no study can be made of the table; "" where one can.
    """

    roles: dict[str, str]
    form: str = ""
    notes: list[str] = field(default_factory=list)
    refusal: str = ""

    def columns(self, role: str) -> list[str]:
        """The columns that have a role."""
        return [column for column, given in self.roles.items() if given == role]

    def column(self, role: str) -> str | None:
        """The column that has a role, None where there is none."""
        return next(iter(self.columns(role)), None)

    def has(self, *roles: str) -> bool:
        """Whether all of these roles are taken."""
        return all(self.column(role) is not None for role in roles)


def parse_map(given: Sequence[str], columns: Sequence[str]) -> dict[str, list[str]]:
    """``item_id=COL,references=COL|COL`` as columns by role.

    A comma separates only before a role and ``=``, and a text that is itself the name of a column is taken whole, so
    names may hold commas and bars.

    >>> parse_map(["item_id=No, old,systems=A|B"], ["No, old", "A", "B"])
    {'item_id': ['No, old'], 'systems': ['A', 'B']}
    """
    parsed: dict[str, list[str]] = {}
    for role, text in _assignments(given):
        if role not in MAPPABLE:
            raise unknown_name("--map", "role", role, MAPPABLE)
        names = [text] if text in columns else text.split("|")
        if len(names) > 1 and role not in SEVERAL:
            raise OptionError(f"--map: {role} was given {len(names)} columns; one is allowed; choose one of them")
        for name in names:
            if name not in columns:
                near = get_close_matches(name, columns, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise OptionError(f"--map: there is no column {name!r}; {hint}the columns are {listed(columns, 20)}")
        parsed.setdefault(role, []).extend(names)
    taken = [name for names in parsed.values() for name in names]
    twice = sorted({name for name in taken if taken.count(name) > 1})
    if twice:
        raise OptionError(f"--map: {listed(twice)} was given two roles; one is allowed; name each column once")
    return parsed


def _assignments(given: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in given:
        for part in re.split(r",(?=\s*\w+\s*=)", text):
            role, equals, names = part.partition("=")
            if not equals or not names:
                raise OptionError(
                    f"--map: {part!r} was given; allowed is role=COLUMN; the roles are {', '.join(MAPPABLE)}"
                )
            yield role.strip(), names


def understand(rows: Rows, given: Mapping[str, Sequence[str]]) -> Understanding:
    """Say what each column means: as given, or else by its name."""
    named = {name: role for role, names in given.items() for name in names}
    taken = set(named.values())
    roles = {}
    for name in rows.columns:
        role = named.get(name) or role_of(name)
        if role is None:
            role = "scores" if normal(name) in CRITERIA else METADATA_ROLE
        guessed_again = name not in named and role in taken  # what was given by --map stands alone
        roles[name] = METADATA_ROLE if guessed_again else role
    found = Understanding(roles)
    _tell_form(found, rows, given)
    if not found.refusal:
        _settle(found, rows)
        judged = found.form == PAIRS or found.has("score") or found.has("scores")
        if judged and not (found.has("annotator") or found.has("metric")):
            found.notes.append("no column says who judged, so agreement cannot be measured: --map annotator=COLUMN")
    return found


def _settle(found: Understanding, rows: Rows) -> None:
    """Where several columns could have a role that only one may have, take the one with the role's own name or refuse."""
    for role in dict.fromkeys(found.roles.values()):
        columns = found.columns(role)
        if role in (*SEVERAL, METADATA_ROLE) or len(columns) == 1:
            continue
        own = [name for name in columns if normal(name) == role]
        if len(own) != 1:
            finest = max(
                columns, key=lambda name: len(set(map(str, rows.columns[name])))
            )  # a segment before its document
            found.refusal = (
                f"columns {listed(columns)} may all be the {role}; choose one: --map {mapping(role, [finest])}"
            )
            return
        for name in columns:
            if name != own[0]:
                found.roles[name] = METADATA_ROLE


def _tell_form(found: Understanding, rows: Rows, given: Mapping[str, Sequence[str]]) -> None:
    if "systems" in given:
        _take_as_wide(found, [])
    elif found.has("winner", "system_a", "system_b"):
        found.form = PAIRS
    elif found.has("system") and (found.has("output") or found.has("score") or found.has("scores")):
        found.form = LONG
    elif found.has("system"):
        found.refusal = f"{found.column('system')!r} names systems, but no column holds their outputs or scores; say which: --map output=COLUMN"
    else:
        _guess_wide(found, rows)
    if found.form == LONG and not (found.has("item_id") or found.has("source") or found.has("references")):
        found.refusal = "no column says which item a row belongs to; say which: --map item_id=COLUMN (or source=COLUMN)"


def _guess_wide(found: Understanding, rows: Rows) -> None:
    """Without a column that names systems, columns of outputs are systems: those that say so, or else all texts left over."""
    saying = [name for name in rows.columns if found.roles[name] == "output" or names_an_output(name)]
    left_over = [
        name
        for name, role in found.roles.items()
        if role == METADATA_ROLE and normal(name) not in METADATA and _holds_texts(rows.columns[name])
    ]
    systems = saying or left_over
    if not systems:
        found.refusal = (
            "no column holds outputs; say which: --map system=COLUMN,output=COLUMN (a row per output) "
            "or --map 'systems=COLUMN|COLUMN' (a column per system)"
        )
        return
    others = [name for name in left_over if name not in systems]
    if others:
        every = [name for name in rows.columns if name in (*systems, *others)]
        found.refusal = (
            f"{listed(systems, 10)} by name hold outputs, and {listed(others, 10)} hold texts that may be outputs of "
            f"systems too; say which columns are systems: --map {mapping('systems', every)}, "
            f"or without the others: --map {mapping('systems', systems)}"
        )
        return
    why = "their names say that they hold outputs" if saying else "nothing else can hold outputs"
    found.notes.append(
        f"{listed(systems, 10)} taken as one system each, because {why}; to choose: --map {mapping('systems', systems)}"
    )
    _take_as_wide(found, systems)


def mapping(role: str, columns: Sequence[str]) -> str:
    """What to give to --map, quoted for a shell where it must be."""
    return shlex.quote(f"{role}={'|'.join(columns)}")


def _take_as_wide(found: Understanding, systems: Sequence[str]) -> None:
    """A row is an item: columns of judgments have no place, because they cannot say whose output they judge."""
    found.form = WIDE
    found.roles |= dict.fromkeys(systems, "systems")
    allowed = ("item_id", "source", "references", "systems")
    without_place = [name for name, role in found.roles.items() if role not in (*allowed, METADATA_ROLE)]
    found.roles |= dict.fromkeys(without_place, METADATA_ROLE)
    if without_place:
        found.notes.append(
            f"{listed(without_place)} kept as metadata: in wide form no column can say whose output it judges"
        )


def _holds_texts(values: Sequence[object]) -> bool:
    """Whether a column holds texts, and not only numbers."""
    filled = [value for value in values if value not in (None, "")]
    return bool(filled) and not all(_is_numeric(value) for value in filled) and all(isinstance(v, str) for v in filled)


def _is_numeric(value: object) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"\s*[+-]?[\d.,]+([eE][+-]?\d+)?\s*", value) is not None
    return isinstance(value, int | float)
