"""What is done to every text of a study before it is scored."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate.errors import OptionError
from validate.text.normalization import CASINGS, FORMS, Normalization


def test_nothing_is_done_by_default():
    nothing = Normalization()
    assert not nothing
    assert nothing.of_all(["Ａ", "e\u0301"]) == ["Ａ", "e\u0301"]
    assert nothing.signed("bleu|accord:1") == "bleu|accord:1"


# Unicode Standard Annex 15, table 1 and figure 6: Å as the angstrom sign, the ligature ﬁ.
@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("NFC", "\u212b", "\u00c5"),
        ("NFD", "\u212b", "A\u030a"),
        ("NFC", "\ufb01", "\ufb01"),
        ("NFKC", "\ufb01", "fi"),
        ("NFKD", "\u212b\ufb01", "A\u030afi"),
    ],
)
def test_forms(form, text, expected):
    assert Normalization(form)(text) == expected


def test_folding_is_more_than_lower_case():
    assert Normalization(casing="lower")("Straße ΣΑΣ") == "straße σας"
    assert Normalization(casing="fold")("Straße ΣΑΣ") == "strasse σασ"


@given(st.text(max_size=12), st.sampled_from(FORMS), st.sampled_from(sorted(CASINGS)))
def test_twice_is_once_and_the_form_is_kept(text, form, casing):
    normalization = Normalization(form, casing)
    once = normalization(text)
    assert normalization(once) == once or casing == "fold"  # U+1E9E and a few others need two folds
    if form != "none":
        assert unicodedata.is_normalized(form, once)
    assert normalization.of_all([text, text, "a"]) == [once, once, "a"]


@pytest.mark.parametrize(("given", "said"), [({"form": "nfc"}, "NFC"), ({"casing": "lowr"}, "lower")])
def test_unknown_names(given, said):
    with pytest.raises(OptionError, match=f"did you mean '{said}'"):
        Normalization(**given)
