# Every target sets up what it needs in .venv; the stamps make the second time immediate.
#
#   make demo          run the demonstration
#   make test          run all tests
#   make test-slow     run the large random tests
#   make test-checked  run the translator, every block and every diagram against the checked (UBSan) build
#   make lint          style, types and import layers
#   make docs          write the catalogue and the pictures of the README anew
#   make verify        measure every block against theory; writes docs/verification.md
#   make bench         timings, as ratios taken side by side
#   make soak          an hour in real time under load, and every process of a test killed 50 times
#   make clean         remove what the targets above wrote, .venv included
#
# PYTHON=python3.12 make test   uses another interpreter (3.11 or newer) to create .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Twice quiet: errors only. Index warnings are of no use to someone who runs the demonstration.
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
BASE := $(VENV)/.stamp-base
DEV := $(VENV)/.stamp-dev

# What the checked run looks at: the translator, every block and every diagram once, guard, loop and drivers.
CHECKED := $(wildcard $(addprefix tests/,unit/test_translator_*.py unit/test_stock_*.py unit/test_kernel_assert.py \
  unit/test_random_numbers.py evals/test_every_block.py evals/test_engines*.py evals/test_diagram_*.py \
  evals/test_lowering*.py evals/test_parted_programs.py evals/test_wiring_mistakes.py evals/test_virtual_rig.py \
  evals/test_cut.py evals/test_loop_r4*.py evals/test_loop_r7*.py evals/test_loop_r15*.py \
  unit/test_guard_r*.py unit/test_driver_*.py))

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-checked lint docs verify bench soak clean

help:
	@sed -n 's/^#   //p' Makefile

demo: $(BASE)
	@$(BIN)/hybsim demo

test: $(DEV)
	@$(BIN)/pytest -n auto

test-slow: $(DEV)
	@$(BIN)/pytest -n auto -m slow

test-checked: $(DEV)
	@HYBSIM_CHECKED=1 $(BIN)/pytest -n auto -m "not slow and not packaging" $(CHECKED)

lint: $(DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

docs: $(BASE)
	@$(BIN)/hybsim blocks --markdown
	@$(BIN)/python -m hybsim.runtime.guard_page > docs/guard.md
	@$(BIN)/hybsim compile hybsim.diagrams.eerc_chapter3:fig_3_5 --draw docs/images/diagram.png > /dev/null
	@$(BIN)/hybsim demo --out docs/images > /dev/null

verify: $(BASE)
	@$(BIN)/python -m hybsim.studies.verification

bench: $(DEV)
	@$(BIN)/python benchmarks/run.py

soak: $(DEV)
	@HYBSIM_KILLS=50 $(BIN)/pytest -q tests/evals/test_loop_r5_r6_kills.py
	@$(BIN)/python benchmarks/soak.py

clean:
	rm -rf $(VENV) build dist out hybsim-demo *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "hybsim needs Python 3.11 or newer, but '$(PYTHON)' was not found: install it or name one with PYTHON=/path/to/python3." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "hybsim needs Python 3.11 or newer, but '$(PYTHON)' is $$("$(PYTHON)" -V 2>&1): name a newer one with PYTHON=/path/to/python3." >&2; exit 1; }
	@echo "Creating $(VENV) with $$("$(PYTHON)" -V 2>&1)."
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "'$(PYTHON) -m venv' failed: on Debian or Ubuntu install python3-venv, then run make again." >&2; exit 1; }

# The interpreter is an order-only prerequisite: it is a link, and its date says nothing about us.
$(BASE): pyproject.toml | $(BIN)/python
	@echo "Installing hybsim and what it needs into $(VENV) (a few minutes, once)."
	@$(PIP) install --editable .
	@touch $@

# The development install contains the basic one, so it satisfies that stamp too.
$(DEV): pyproject.toml | $(BIN)/python
	@echo "Installing hybsim and the development tools into $(VENV) (a few minutes, once)."
	@$(PIP) install --editable '.[dev]'
	@touch $(BASE) $@
