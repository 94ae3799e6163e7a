"""Packed linear layers: the same numbers, and the plain layers where packing fails."""

import pytest

torch = pytest.importorskip("torch")

from validate.metrics.neural import _packed  # noqa: E402


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.inside = torch.nn.Sequential(torch.nn.Linear(24, 40), torch.nn.GELU(), torch.nn.Linear(40, 8, bias=False))

    def forward(self, given):
        return self.inside(given)


def test_packed_layers_give_the_same():
    given = torch.randn(5, 7, 24)
    with torch.inference_mode():
        plain = Two()(given)
        found = _packed.packed("m", Two())(given)
    assert found.shape == plain.shape
    assert torch.allclose(found, plain, atol=1e-6)
    if torch.backends.mkldnn.is_available():
        assert not [one for one in _packed.packed("m", Two()).modules() if type(one) is torch.nn.Linear]


@pytest.mark.parametrize("error", [RuntimeError, AttributeError])
def test_where_it_fails_layers_stay_as_they_are(monkeypatch, error):
    def fails(torch, linear):
        raise error

    monkeypatch.setattr(_packed, "_layer", fails)
    model = _packed.packed("m", Two())
    assert [type(one) for one in model.inside][0::2] == [torch.nn.Linear] * 2


def test_other_numbers_are_noticed(monkeypatch):
    linear = torch.nn.Linear(4, 4)
    monkeypatch.setattr(torch, "allclose", lambda *_, **__: False)
    if not torch.backends.mkldnn.is_available():
        pytest.skip("this build of torch cannot pack")
    with pytest.raises(RuntimeError, match="gives other numbers"):
        _packed._layer(torch, linear)
