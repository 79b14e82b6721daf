# Needs Python 3.11 or newer and make; everything else is installed into .venv from the pinned constraints.
#   make demo       an agent session becomes an audited memory
#   make test-fast  the tests that are quick, all but 500: under a minute on two quiet cores
#   make test       all tests; at the end, what was skipped and what it needs
#   make check      lint, format, strict types, direction of imports
#   make bench      what turns, recalls and the start of a process cost
#   make clean      removes the environment and all caches

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# More than four workers gain nothing: each pays for its own imports. One that is done takes tests from another, since by
# whole files (loadfile) those with few but long tests come last, and the others wait.
PYTEST_ARGS ?= -n auto --maxprocesses 4 --dist worksteal

.PHONY: demo test test-fast check bench constraints clean

demo: $(VENV)/.core
	@$(BIN)/cfpm demo

# Bytecode is kept also where the environment says otherwise: it saves each worker half a minute of the next run.
test test-fast: export PYTHONDONTWRITEBYTECODE =

test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "not slow"

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks latency

# What the memory itself needs: a third of the packages, so that the demo starts sooner. Ours is
# compiled here, since each process would do it anew where PYTHONDONTWRITEBYTECODE is set; of the others what we import.
$(VENV)/.core: constraints-core.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "CFPM needs Python 3.11 or newer; $(PYTHON) is not. Try: make PYTHON=python3.11" >&2; exit 1; }
	@echo "Setting up $(VENV) (once)" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --no-compile --require-hashes -r constraints-core.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q cfpm adapters
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -c 'import numpy, rapidfuzz.fuzz'
	@touch $@

$(VENV)/.dev: $(VENV)/.core constraints.txt
	@echo "Adding the tools for developers (once)" >&2
	@$(PIP) --no-compile --require-hashes -r constraints.txt
	@touch $@

# For maintainers, with uv on the path: the same versions for Python 3.11 to 3.13 on every system, no address of an index.
COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --quiet
# google-adk, crewai and autogen pin what the others need in another version: each is tested by name in an environment of its own.
EXTRAS := server mcp langchain openai-agents pydantic-ai llama-index smolagents agent-framework claude-agent-sdk webhook encrypted \
	keyring tokens vector documents embeddings
constraints:
	$(COMPILE) $(EXTRAS:%=--extra %) --group dev --upgrade --output-file constraints.txt
	$(COMPILE) --group build --constraint constraints.txt --output-file constraints-core.txt

clean:
	rm -rf $(VENV) .ci/venv .ci/wheel-venv .ci/dist dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
