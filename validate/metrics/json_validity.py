"""Whether outputs are JSON, and what a JSON Schema asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from validate.errors import MissingExtraError, OptionError, bad_value
from validate.metrics import _json, _options
from validate.metrics._mean import MeanMetric
from validate.metrics._registry import register
from validate.schema import FloatArray
from validate.text.corpus import Batch

DRAFT = "https://json-schema.org/draft/2020-12/schema"


class JsonValidity(MeanMetric):
    """1 where the output is valid JSON, and valid under a schema where one is given, else 0. References are not looked at.

    Parameters
    ----------
    schema : str or path, optional
        File with a JSON Schema (any draft that its ``$schema`` names, else 2020-12), from the folder in which accord is run;
        a study looks in its own folder first. Needs accord's extra ``json``. Nothing is fetched: a ``$ref`` to another place than the schema itself and the drafts is an
        error. ``format`` is not checked, as the standard has it by default.
    fences : bool
        Read the first fenced block (three backticks) of a text that has one, as models write it.

    Raises
    ------
    OptionError
        When the file is missing, is no JSON, or is no schema.

    References
    ----------
    RFC 8259, doi:10.17487/RFC8259; Wright, Andrews, Hutton and Dennis (2022), JSON Schema, draft 2020-12.

    Examples
    --------
    >>> JsonValidity().score(['{"a": 1}', "{'a': 1}", "NaN"]).items.tolist()
    [1.0, 0.0, 0.0]
    """

    needs: ClassVar[tuple[str, ...]] = ()
    source = "RFC 8259, doi:10.17487/RFC8259; JSON Schema 2020-12"
    summary = "output is JSON, as a schema asks for"

    def __init__(self, *, name: str = "json_validity", schema: str | Path | None = None, fences: bool = False) -> None:
        self.name = name
        self.fences = _options.yes_or_no(name, "fences", fences)
        self._digest: str | None = None
        self._schema: Any = None
        if schema is not None:
            self._schema, self._digest = _read_schema(name, schema)

    @property
    def options(self) -> Mapping[str, Any]:
        """The schema is stated by the start of its file's sha256, wherever it lies."""
        return {"schema": self._digest, "fences": self.fences}

    def item_scores(self, batch: Batch) -> FloatArray:
        valid = batch.once(("json validity", *self.options.values()), lambda: self._valid(batch))
        return np.array([valid[text] for text in batch.outputs.tolist()], dtype=np.float64)

    def _valid(self, batch: Batch) -> dict[int, bool]:
        validator = None if self._schema is None else _validator(self.name, self._schema)
        return {text: self._is_valid(batch.corpus.texts[text], validator) for text in np.unique(batch.outputs).tolist()}

    def _is_valid(self, text: str, validator: Any) -> bool:
        value = _json.read(text, fences=self.fences)
        if value is _json.INVALID or validator is None:
            return value is not _json.INVALID
        from referencing.exceptions import Unresolvable

        try:
            return bool(validator.is_valid(value))
        except RecursionError as error:
            raise OptionError(
                f"{self.name}: the schema refers to itself without end, or too deeply for {text[:60]!r}; references that end are allowed; "
                "correct the schema"
            ) from error
        except Unresolvable as error:
            raise OptionError(
                f"{self.name}: the schema refers to {error.ref!r}, which is not in its file; references within the file and to "
                "the drafts of JSON Schema are allowed, nothing is fetched; put what is referred to under '$defs'"
            ) from error


def _read_schema(who: str, path: object) -> tuple[Any, str]:
    """The schema in a file, checked against its draft, and the start of the file's sha256."""
    if not isinstance(path, str | Path):
        raise bad_value(who, "schema", path, "the path of a file with a JSON Schema")
    place = Path(path)
    try:
        content = place.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        why = getattr(error, "strerror", None) or str(error)
        raise OptionError(
            f"{who}: the schema {str(path)!r} cannot be read ({why}; looked for at {place.absolute()}); the path of a file with a JSON "
            "Schema is allowed, from the folder in which accord is run; correct schema=…"
        ) from error
    schema = _json.read(content.decode("utf-8", "replace"))
    if schema is _json.INVALID:
        raise OptionError(
            f"{who}: the schema {str(path)!r} is no JSON; a file with a JSON Schema is allowed; correct the file"
        )
    _check_schema(who, str(path), schema)
    return schema, hashlib.sha256(content).hexdigest()[:8]


def _check_schema(who: str, path: str, schema: Any) -> None:
    validators = _library(who)
    from jsonschema.exceptions import SchemaError

    named = schema.get("$schema", DRAFT) if isinstance(schema, dict) else DRAFT
    kind = validators.validator_for({"$schema": named}, default=None) if isinstance(named, str) else None
    if kind is None:
        raise OptionError(
            f"{who}: the schema {path!r} names the draft {named!r}, which is unknown; draft 3 to 2020-12 are allowed; correct '$schema'"
        )
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        place = "".join(f"/{part}" for part in error.absolute_path) or "/"
        raise OptionError(
            f"{who}: the schema {path!r} is no JSON Schema: at {place}: {error.message}; correct the file"
        ) from error


def _validator(who: str, schema: Any) -> Any:
    """The validator of a checked schema, with a registry of the published drafts alone, so that nothing is fetched."""
    validators = _library(who)
    from jsonschema_specifications import REGISTRY

    kind = validators.validator_for(schema, default=validators.Draft202012Validator)
    return kind(schema, registry=REGISTRY)


def _library(who: str) -> Any:
    try:
        from jsonschema import validators
    except ImportError as error:
        raise MissingExtraError(who, "jsonschema", "json") from error
    return validators


register("json_validity", JsonValidity, default=False)
