"""Texts as nasty as texts become, for parity with the reference libraries; every module of tests/metrics may import them."""

from __future__ import annotations

from hypothesis import strategies as st

LATIN = [*"abcdAB12", "the ", "cat ", " sat", "walking ", "flies", "3.14", "é", "İ", "ß", "Ĳ"]
MARKS = [*" .,-!?()'\"&;", "\n", "\t", "'s ", "\n-", "-\n", "“", "…", "«", "–", "%", "€"]
ENTITIES = ["&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&#39;", "&nbsp;", "<skipped>"]
BLANKS = ["\xa0", "\u2028", "\u3000", "\x1c", "\x85", "\r\n"]
ZERO_WIDTH = ["\u200b", "\u200d", "\u200c", "\ufeff", "\u2060", "\xad"]
DIRECTIONS = ["\u200e", "\u200f", "\u202b", "\u2066"]
COMBINING = ["e\u0301", "a\u0308\u0323", "n\u0303", "\u0301", "q\u0307\u0323"]
CYRILLIC = ["Ж", "мост ", "Мост", "ё"]
ARABIC = ["جسر ", "مَدْرَسَة", "٣", "؟", "می\u200cروم ", "שלום "]
DEVANAGARI = ["नमस्ते ", "क्षि", "।", "१"]
CHINESE = ["中", "大桥", "。", "，", "《", "㈱", "𠀀", "豈"]
JAPANESE = ["か", "タワー", "これはペンです", "・", "ﾊﾟ", "々"]
KOREAN = ["가", "나라 ", "한국어", "\u1112\u1161\u11ab"]
THAI = ["สวัสดี", "ภาษา ", "น้ำ"]
EMOJI = ["😀", "👍🏽", "👩\u200d👩\u200d👧", "🇳🇱", "❤\ufe0f", "1\ufe0f\u20e3"]

SCRIPTS = [LATIN, CYRILLIC, ARABIC, DEVANAGARI, CHINESE, JAPANESE, KOREAN, THAI, EMOJI, COMBINING]
PIECES = [piece for kind in (*SCRIPTS, LATIN, MARKS, MARKS, ENTITIES, BLANKS, ZERO_WIDTH, DIRECTIONS) for piece in kind]

mixed = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
"""All scripts in one text, Latin and marks oftener than others."""

alike = st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat", "a", "."]), max_size=12).map(" ".join)
"""Texts of few words, so that output and reference have much in common in another order."""

one_script = st.sampled_from(SCRIPTS).flatmap(
    lambda script: st.lists(st.sampled_from([*script, " ", " ", "."]), max_size=16).map("".join)
)

very_long = st.builds(lambda piece, end, times: piece * times + end, mixed, alike, st.integers(20, 60))

text = mixed | alike | one_script | st.text(max_size=12) | very_long | st.just("")
"""Any of these, or any Unicode, or nothing at all."""

row = st.tuples(text, st.lists(text, min_size=1, max_size=3))
"""An output and one to three references."""
