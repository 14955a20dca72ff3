# The commands of this project. `make test` and `make rehearse` need Python 3.11+, git and make, and install the rest
# into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto

.PHONY: rehearse test check bench reliability lock clean

rehearse: $(VENV)/ready
	$(BIN)/release rehearse

test: $(VENV)/ready
	$(BIN)/pytest -n $(WORKERS)

check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: $(VENV)/ready
	$(BIN)/python -m benchmarks

# Histories, failures and interleavings by the hundred: slow, so not part of `make test`, which runs a few of each.
reliability: $(VENV)/ready
	RELEASE_RELIABILITY=1 $(BIN)/pytest -n $(WORKERS) tests/reliability

lock: $(VENV)/ready
	$(BIN)/pip freeze --exclude-editable | LC_ALL=C sort > .ci/constraints.txt

clean:
	rm -rf $(VENV) .release build dist

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
