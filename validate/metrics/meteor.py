"""METEOR: words in common by being equal, of one stem or synonyms, and how little they are torn apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validate.errors import bad_value, plural
from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._metric import Metric
from validate.metrics._references import best_pair, chosen
from validate.metrics._registry import NoCounterpart, Reference, register
from validate.schema import Fact, FloatArray, IntArray
from validate.text import tokenizers, wordnet
from validate.text.corpus import Batch
from validate.text.porter import stem
from validate.text.word_relations import Relation, among_the_lemmas, numbered, sharing_a_synset

ALIGNMENTS = ("minimal", "nltk")
STAGES = ("exact", "stem", "synonym")
TOKENIZERS: dict[str, dict[str, Any]] = {"whitespace": {"lowercase": True}, "13a": {"lowercase": True}, "unicode": {}}


class Meteor(MeanMetric):
    """F of matched words, recall weighing nine times precision, less a penalty for matches that do not stand side by side; 0 to 1.

    Each word is matched with one word of the other text at most: with an equal one, else one of the same stem (Porter), else a
    synonym (WordNet 3.0). F = PR / (αP + (1 - α)R); the penalty is γ (chunks / matches)^β, where a chunk is a run of matches
    that stand side by side in both texts. Texts are lowercased. Of several references the one with the best score counts.

    Parameters
    ----------
    alignment : {"minimal", "nltk"}
        "minimal": of all ways to match as many words as can be, those of an earlier stage first, the one with the fewest
        chunks; words are synonyms when they share a synset in any of their inflected forms. "nltk": what
        ``nltk.translate.meteor_score`` does, to the last bit: each stage goes from the last word to the first and takes the
        last free match, and synonyms are looked up for stems.
    stages : tuple of {"exact", "stem", "synonym"}
        "exact" is always among them. On the command line ``stages=exact+stem``.
    alpha : float
        Weight of precision against recall in F, 0 to 1.
    beta, gamma : float
        Shape and weight (0 to 1) of the penalty.
    tokenizer : {"whitespace", "13a", "unicode"}
        "whitespace" takes texts as they stand, which is what most people hand to NLTK.

    Raises
    ------
    MissingExtraError
        Where synonyms are wanted and there is no WordNet; see `validate.text.wordnet`.

    Notes
    -----
    Other programs mean something else by METEOR: ``meteor-1.5`` has other weights, function words and paraphrases.

    The papers choose among the largest matchings the one with the fewest crossings. Their worked examples, and METEOR from
    version 1.0 on, take the fewest chunks, as "minimal" does: by crossings alone the pair "Record profits were announced by the
    company this quarter", "The company reported record profits in the third quarter" would have four chunks, not three.

    To find the fewest chunks is hard where words repeat. A note counts the pairs for which they were not proven to be the
    fewest; texts under some fifty words are hardly ever among them.

    References
    ----------
    Banerjee and Lavie (2005), https://aclanthology.org/W05-0909. Lavie and Agarwal (2007), https://aclanthology.org/W07-0734,
    section 2.

    Examples
    --------
    Three of three words match in two chunks: F = 1, less 0.5 (2/3)³ = 4/27.

    >>> round(Meteor(stages=("exact",)).score(["today we ship"], [["we ship today"]]).system * 27, 9)
    23.0
    """

    source = "Banerjee and Lavie 2005, https://aclanthology.org/W05-0909; Lavie and Agarwal 2007, https://aclanthology.org/W07-0734"
    checked_against = "nltk"
    summary = "matched words, stems and synonyms, and how few chunks they make"

    def __init__(
        self,
        *,
        name: str = "meteor",
        alignment: str = "minimal",
        stages: Sequence[str] | str = STAGES,
        alpha: float = 0.9,
        beta: float = 3,
        gamma: float = 0.5,
        tokenizer: str = "whitespace",
    ) -> None:
        self.name = name
        self.alignment = _options.one_of(name, "alignment", alignment, ALIGNMENTS)
        self.stages = _stages(name, stages)
        self.alpha = _share(name, "alpha", alpha)
        self.beta = _options.number(name, "beta", beta, 0)
        self.gamma = _share(name, "gamma", gamma)
        self.tokenizer = _options.one_of(name, "tokenizer", tokenizer, TOKENIZERS)
        self._words = tokenizers.get(self.tokenizer, **TOKENIZERS[self.tokenizer])
        if "synonym" in self.stages:
            wordnet.find(name)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "alignment": self.alignment,
            "stages": self.stages,
            "alpha": self.alpha,
            "beta": self.beta,
            "gamma": self.gamma,
            "tokenizer": self.tokenizer,
        }

    def item_scores(self, batch: Batch) -> FloatArray:
        matches, chunks, _ = self._aligned(batch)
        lengths = batch.corpus.encode(self._words).lengths
        outputs, references = batch.pairs
        scores = self._scores(matches, chunks, lengths[outputs], lengths[references])
        return chosen(scores, best_pair(batch, scores))

    def notes(self, batch: Batch) -> list[Fact]:
        """Says for how many pairs the fewest chunks are not proven."""
        unproven = int((~self._aligned(batch)[2]).sum())
        if not unproven:
            return []
        text = (
            f"{self.name}: {plural(unproven, 'pair')} of {len(batch.references):,} with words repeated so often that fewer chunks "
            "could exist than were found"
        )
        return [Fact("unproven-alignment", unproven, text)]

    def _aligned(self, batch: Batch) -> tuple[IntArray, IntArray, Any]:
        """(m,) matches, chunks, and whether these are proven to be the fewest, of every pair."""
        return batch.once(("meteor", self.alignment, self.stages, self.tokenizer), lambda: self._align(batch))

    def _align(self, batch: Batch) -> tuple[IntArray, IntArray, Any]:
        encoded = batch.corpus.encode(self._words)
        stems, behind = numbered(encoded.types, stem if "stem" in self.stages else str)
        if self.alignment == "nltk":
            from validate.text.greedy_matches import greedy_matches

            matches, chunks = greedy_matches(batch, encoded, stems, self._synonyms(behind, among_the_lemmas))
            return matches, chunks, np.ones(len(matches), dtype=np.bool_)
        from validate.text.fewest_chunks import fewest_chunks

        return fewest_chunks(batch, encoded, stems, self._synonyms(encoded.types, sharing_a_synset))

    def _synonyms(self, words: list[str], relate: Any) -> Relation:
        """Which words are synonyms by a relation out of WordNet; none where that stage is left out."""
        return relate(words, wordnet.load(self.name)) if "synonym" in self.stages else Relation.none(len(words))

    def _scores(self, matches: IntArray, chunks: IntArray, here: IntArray, there: IntArray) -> FloatArray:
        """(m,) scores in NLTK's order of operations; 0 where nothing matches."""
        some = matches > 0
        counted = np.where(some, matches, 1)
        precision, recall = counted / np.maximum(here, 1), counted / np.maximum(there, 1)
        f = (precision * recall) / (self.alpha * precision + (1 - self.alpha) * recall)
        fragmentation = (chunks / counted).tolist()
        penalty = self.gamma * np.array([share**self.beta for share in fragmentation])
        return np.where(some, (1 - penalty) * f, 0.0)


def _stages(who: str, stages: object) -> tuple[str, ...]:
    """The stages in their order; on a line of text they are joined by +."""
    given = stages.split("+") if isinstance(stages, str) else stages
    allowed = "'exact', alone or with 'stem' and 'synonym', in this order"
    if not isinstance(given, Sequence) or "exact" not in given or len(set(given)) < len(given):
        raise bad_value(who, "stages", stages, allowed)
    named = [_options.one_of(who, "stages", stage, STAGES) for stage in given]
    if named != [stage for stage in STAGES if stage in named]:
        raise bad_value(who, "stages", stages, allowed)
    return tuple(named)


def _share(who: str, option: str, value: object) -> float:
    """A number from 0 to 1."""
    number = _options.number(who, option, value, 0)
    if number > 1:
        raise bad_value(who, option, value, "a number from 0 to 1")
    return number


def nltk_meteor(
    metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[FloatArray, float]:
    """Item scores and their mean by NLTK, which is given our tokens and our WordNet."""
    assert isinstance(metric, Meteor)
    if metric.alignment != "nltk":
        raise NoCounterpart("NLTK matches from the end only; meteor(alignment=nltk) is what can be compared to it")
    from nltk.translate.meteor_score import meteor_score

    from validate.metrics import _meteor_nltk

    parts = {
        "stemmer": _meteor_nltk.stemmer("stem" in metric.stages),
        "wordnet": _meteor_nltk.reader("synonym" in metric.stages),
        "alpha": metric.alpha,
        "beta": metric.beta,
        "gamma": metric.gamma,
    }
    items = [
        meteor_score([metric._words(text) for text in row], metric._words(output), **parts)
        for output, row in zip(outputs, references, strict=True)
    ]
    return np.array(items), float(np.mean(items))


register("meteor", Meteor, reference=Reference("nltk", nltk_meteor), default=False)
