"""Imports point down only, the package that is imported is ours, and nothing heavy is loaded before it is needed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import validate

ROOT = Path(__file__).resolve().parent.parent

# Lower rooms know nothing of higher ones; rooms on one line may know each other only as far as stated below.
LAYERS = [
    {"errors", "files", "telling", "_compile"},
    {"schema"},
    {"text", "results"},
    {"loading", "formats"},
    {"metrics", "stats"},
    {"human"},
    {"crosscheck", "choose"},
    {"validation"},
    {"report"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
NEIGHBOURS = {("loading", "formats")}


def _modules():
    for path in sorted((ROOT / "validate").rglob("*.py")):
        parts = path.relative_to(ROOT / "validate").with_suffix("").parts
        if parts != ("__init__",):
            yield parts[0], path


def _imported(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_every_room_has_its_place():
    assert {room for room, _ in _modules()} <= set(RANK)


def test_imports_point_down():
    wrong = []
    for room, path in _modules():
        for line, name in _imported(path):
            parts = name.split(".")
            if parts[0] == "annotate" and room != "cli":
                wrong.append(f"{path}:{line} imports {name}")
            if parts[0] != "validate" or len(parts) < 2 or parts[1] not in RANK or parts[1] == room:
                continue
            upwards = RANK[parts[1]] > RANK[room]
            sideways = RANK[parts[1]] == RANK[room] and (room, parts[1]) not in NEIGHBOURS and RANK[room] > 0
            if upwards or sideways:
                wrong.append(f"{path}:{line} ({room}) imports {name}")
    assert not wrong, "\n".join(wrong)


def test_statistics_know_no_metric_and_metrics_no_statistic():
    for room, other in (("stats", "metrics"), ("metrics", "stats")):
        for own, path in _modules():
            if own == room:
                assert not [name for _, name in _imported(path) if name.startswith(f"validate.{other}")]


def test_the_package_called_validate_is_ours():
    found = Path(validate.__file__).resolve().parent
    assert found == ROOT / "validate", (
        f"'validate' is imported from {found}: another distribution (configobj installs one) stands in the way"
    )


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout.split()
    )


@pytest.mark.parametrize("statement", ["import validate", "import validate.cli"])
def test_nothing_heavy_is_loaded_early(statement):
    heavy = {"numpy", "pandas", "scipy", "numba", "altair", "vl_convert", "torch", "gradio", "sacrebleu"}
    assert not heavy & _loaded_by(statement)


def test_validating_needs_neither_torch_nor_gradio():
    loaded = _loaded_by(
        "import validate.validation, validate.report, validate.loading\nfrom validate import metrics\nmetrics.names()"
    )
    assert not {"torch", "gradio", "sacrebleu", "nltk"} & loaded


@pytest.mark.parametrize("command", ["--help", "metrics"])
def test_no_model_is_touched_before_a_neural_metric_counts(command):
    loaded = _loaded_by(
        f"import contextlib, io\nfrom validate.cli import main\nwith contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n    main(['{command}'])"
    )
    assert "validate.cli" in loaded
    assert not {"torch", "transformers", "tokenizers", "huggingface_hub", "safetensors", "ot"} & loaded


def test_help_answers_at_once():
    """Under half a second is promised, of a processor's time here, since the machine may be busy with other tests; the best of three."""
    code = "import time; from validate.cli import main; import atexit; atexit.register(lambda: print(time.process_time())); main(['--help'])"
    seconds = []
    for _ in range(3):
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT, text=True).stdout
        seconds.append(float(said.split()[-1]))
    assert min(seconds) < 0.5
