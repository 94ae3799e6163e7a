"""Texts on which metrics are tried where there is no study."""

from validate.text.trial import SENTENCES, trial_texts


def test_the_seed_says_the_texts_and_more_of_them_begin_alike():
    assert trial_texts(60, rng=3) == trial_texts(60, rng=3)
    assert trial_texts(60, rng=3) != trial_texts(60, rng=4)
    assert trial_texts(60, rng=3).outputs[:20] == trial_texts(20, rng=3).outputs


def test_each_output_has_its_references_and_source():
    outputs, references, sources = trial_texts(50)
    for row in range(50):
        source, *texts = SENTENCES[row % len(SENTENCES)]
        assert (sources[row], references[row]) == (source, texts)
    assert len(set(outputs)) > 40


def test_many_scripts_and_the_empty_text_are_among_them():
    everything = "".join(text for row in SENTENCES for text in row)
    blocks = {
        "Cyrillic": "о",
        "Greek": "ν",
        "Arabic": "ق",
        "Hebrew": "ה",
        "Devanagari": "ग",
        "Thai": "ร",
        "Han": "车",
        "Kana": "は",
        "Hangul": "기",
    }
    assert all(letter in everything for letter in blocks.values())
    assert any("" in row for row in SENTENCES)
