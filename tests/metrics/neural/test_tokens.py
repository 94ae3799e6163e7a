"""Texts as a model reads them: special tokens, what is cut off, and windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate.metrics.neural._tokens import Reader, Tokens


class Letters:
    """A tokenizer that makes each letter a token, between 1 and 2."""

    model_max_length = 10**30

    def __call__(self, texts, add_special_tokens=True, **_):
        if isinstance(texts, str):
            return {"input_ids": [1, *map(ord, texts), 2] if add_special_tokens else list(map(ord, texts))}
        return {"input_ids": [list(map(ord, text)) for text in texts]}


def test_ids_stand_between_the_special_tokens():
    tokens = Reader(Letters(), 10)(["ab", "", " c\n"])
    assert tokens.ids.tolist() == [1, ord("a"), ord("b"), 2, 1, 2, 1, ord("c"), 2]
    assert tokens.lengths.tolist() == [4, 2, 3]
    assert tokens.special.tolist() == [True, False, False, True, True, True, True, False, True]
    assert tokens.empty.tolist() == [False, True, False]


def test_a_long_text_is_cut_at_its_end_and_that_is_counted():
    tokens = Reader(Letters(), 5)(["abcdef", "abc", "ab"])
    assert tokens.lengths.tolist() == [5, 5, 4]
    assert tokens.ids[:5].tolist() == [1, *map(ord, "abc"), 2]
    assert tokens.n_cut.tolist() == [3, 0, 0]


def test_of_overlapping_windows_the_one_whose_middle_is_nearest_counts():
    # Room for 4 letters: abcd, cdef, efgh. Their middles lie between b and c, d and e, f and g.
    tokens = Reader(Letters(), 6)(["abcdefgh"], windows=True)
    assert tokens.n_cut.tolist() == [0]
    pieces = list(tokens.pieces())
    assert ["".join(map(chr, piece.ids[1:-1])) for piece in pieces] == ["abcd", "cdef", "efgh"]
    assert [tokens.ids[piece.place].tolist() for piece in pieces] == [
        [1, *map(ord, "abc")],
        [*map(ord, "de")],
        [*map(ord, "fgh"), 2],
    ]


@given(st.lists(st.text("abc", max_size=40), max_size=4), st.integers(4, 12))
def test_windows_give_every_token_exactly_once(texts, limit):
    tokens = Reader(Letters(), limit)(texts, windows=True)
    seen = np.zeros(len(tokens.ids), dtype=int)
    for piece in tokens.pieces():
        assert len(piece.ids) <= limit
        assert piece.ids[piece.kept].tolist() == tokens.ids[piece.place].tolist()
        seen[piece.place] += 1
    assert (seen == 1).all()


def test_some_texts_are_taken_in_the_order_given():
    tokens = Reader(Letters(), 5)(["ab", "", "cdefg"])
    some = tokens.take(np.array([2, 0]))
    assert some.ids.tolist() == [1, *map(ord, "cde"), 2, 1, *map(ord, "ab"), 2]
    assert some.n_cut.tolist() == [2, 0]
    assert isinstance(some, Tokens)
    assert len(some) == 2


def test_half_a_surrogate_pair_can_be_read():
    assert Reader(Letters(), 9)(["\ud83d"]).ids.tolist() == [1, 0xFFFD, 2]


def test_the_first_word_of_roberta_has_a_space_before_it():
    """transformers 4 gave it one at every call of bert-score; transformers 5 does only where the tokenizer is loaded so."""
    for package in ("torch", "transformers"):
        pytest.importorskip(package)
    from tiny_models import tiny_roberta
    from transformers import AutoTokenizer

    from validate.metrics.neural._encoder import encoder

    folder = str(tiny_roberta())
    room = encoder("m", folder, layer=1)
    words = room.tokenizer.convert_ids_to_tokens(room.tokens(["he he", ""]).ids.tolist())
    assert words == ["<s>", "Ġhe", "Ġhe", "</s>", "<s>", "</s>"]
    assert AutoTokenizer.from_pretrained(folder).tokenize("he he") == ["he", "Ġhe"]
    assert room.reader.limit == 64  # of 66 positions RoBERTa uses none up to the padding token's
