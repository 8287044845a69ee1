# Works from a fresh clone with GNU make, git and Python 3.11 or newer; everything else goes into .venv.
#
#   make app      start the app on a free port             PORT=8600 takes that port, HOST=0.0.0.0 opens it to the network
#   make test     run every test, the browser's as well    ARGS="-k memory" goes on to pytest
#   make lint     ruff and mypy
#   make format   let ruff rewrite what it can
#
# PYTHON=/path/to/python3.12 chooses the interpreter that .venv is made with.

HOST ?= localhost
ARGS ?=

BIN := .venv/bin
RUN := .venv/run.stamp
DEV := .venv/dev.stamp
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help app test lint format
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

app: $(RUN)
	@port=$${PORT:-$$($(BIN)/python scripts/free_port.py $(HOST))} || exit 1; \
	echo "txlviz: http://$(HOST:0.0.0.0=localhost):$$port (Ctrl-C ends it)"; \
	exec $(BIN)/python -m streamlit run app.py --server.headless true --browser.gatherUsageStats false \
		--server.fileWatcherType none --server.address $(HOST) --server.port $$port

# Two workers, one file on one worker: what a file's tests share (a trained model, the app's server) is made once. One thread
# of torch in each keeps two workers off each other's core.
test: $(DEV)
	@CHROMIUM=$$($(BIN)/python scripts/find_chromium.py) || exit 1; export CHROMIUM; \
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

lint: $(DEV)
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy

format: $(DEV)
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

# Stamps: pip runs again only after a change of the pins. torch comes first and alone, so that pip settles on its build (CPU or
# CUDA, as pip is configured) before anything else can ask for one.
$(RUN): requirements.txt $(BIN)/python
	$(BIN)/python -m pip install "$$(grep '^torch==' requirements.txt)"
	$(BIN)/python -m pip install -r requirements.txt
	@touch $@

$(DEV): requirements-dev.txt $(RUN)
	$(BIN)/python -m pip install -r requirements-dev.txt
	@touch $@

# The first interpreter that runs (a pyenv name may not), is new enough, and can make a venv (Debian packages that apart).
$(BIN)/python:
	@new= full=; \
	for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		new=$${new:-$$python}; \
		"$$python" -c 'import ensurepip, venv' 2>/dev/null && full=$$python && break; \
	done; \
	if [ -z "$$new" ]; then \
		echo "txlviz needs Python 3.11 or newer, $(if $(PYTHON),and $(PYTHON) isn't,and there is none on PATH): install it," \
			"or name one with PYTHON=/path/to/python3.12." >&2; exit 1; \
	elif [ -z "$$full" ]; then \
		echo "$$new can't make a virtual environment: install its venv module" \
			"(Debian, Ubuntu: apt-get install $$("$$new" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'))." >&2; \
		exit 1; \
	fi; \
	echo "Making .venv with $$full"; \
	"$$full" -m venv --clear .venv || { rm -rf .venv; exit 1; }
