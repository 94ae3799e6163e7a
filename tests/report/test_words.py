"""Names that came with the data stay text, whatever they say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from validate.report import words
from validate.report.page import json_text


@given(st.text())
def test_a_name_is_escaped_and_isolated(name: str) -> None:
    html = str(words.sentence("{} is first.", words.Name(name)))
    assert html.startswith("<bdi>")
    inner = html.removeprefix("<bdi>").removesuffix("</bdi> is first.")
    assert "<" not in inner
    assert ">" not in inner


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_json_in_the_page_cannot_end_its_element(document: object) -> None:
    import json

    text = str(json_text(document))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == document


def test_many_names_are_counted_not_listed() -> None:
    assert words.plain(words.listing([f"m{j}" for j in range(9)])) == "m0, m1, m2, m3 and 5 more"
    assert words.plain(words.listing(["a", "b", "c", "d", "e"])) == "a, b, c, d and e"  # "1 more" would be no shorter
    assert words.plain(words.listing(["a"])) == "a"
    assert words.plain(words.listing([])) == ""
