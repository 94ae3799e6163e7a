"""The script of a text."""

from __future__ import annotations

import numpy as np
import pytest

from validate.loading.scripts import READ, dominant_scripts, script_of

# One sentence each, the first letters of which every reader of the script would recognise.
WRITTEN = {
    "Latin": "Ærlig talt, žluťoučký kůň",
    "Greek": "Καλημέρα κόσμε, x",
    "Cyrillic": "Доброе утро, мир (ok)",
    "Arabic": "صباح الخير",
    "Hebrew": "בוקר טוב",
    "Devanagari": "नमस्ते दुनिया",
    "Thai": "สวัสดีชาวโลก",
    "Hangul": "안녕하세요 세계",
    "Han": "早上好，世界",
    "Japanese": "おはよう世界、カタカナー",
    "Georgian": "დილა მშვიდობისა",
    "Ethiopic": "ሰላም ልዑል",
}


def test_scripts_by_their_names() -> None:
    assert dominant_scripts(list(WRITTEN.values())) == list(WRITTEN)


def test_texts_without_letters_have_none() -> None:
    assert dominant_scripts(["", "  ", "1,2 – 3 €", "😀🎉", "\u0301"]) == [None] * 5


def test_most_letters_decide_and_only_the_beginning_is_read() -> None:
    assert dominant_scripts(["aaжж ж", "ж" * READ + "a" * 5000]) == ["Cyrillic", "Cyrillic"]


def test_marks_and_modifiers_are_no_letters_of_their_own() -> None:
    assert [script_of(character) for character in "\u0301ʰー\u093f"] == [None, "Latin", None, None]


@pytest.mark.parametrize("seed", range(3))
def test_the_plain_count_agrees(seed: int) -> None:
    """Oracle: count `script_of` of each character in Python."""
    draw = np.random.default_rng(seed)
    alphabet = list("abcжщяαβγ אב한글 नम123")
    texts = ["".join(draw.choice(alphabet, draw.integers(1, 30))) for _ in range(300)]
    for text, found in zip(texts, dominant_scripts(texts), strict=True):
        letters = [script for character in text if (script := script_of(character)) is not None]
        counts = {script: letters.count(script) for script in letters}
        if counts:
            assert found is not None
            assert counts[found] == max(counts.values())
        else:
            assert found is None
