# Three commands need nothing before them: `make demo`, `make test` and `make gallery`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
NATIVE := $(shell find csrc -type f) CMakeLists.txt
BENCH ?=  # names, such as BENCH="pca lsa"; all of them by default
QUICK ?=  # 1: small data, in minutes
FOLDERS := $(shell find src -type d ! -name __pycache__)  # newer when a module comes or goes
ifneq ($(wildcard ../shared/data),)
export LOOKALIKE_DATA ?= $(abspath ../shared/data)
endif
MINUTES ?= 10  # that make fuzz takes
JOBS ?= 2  # processes that run the tests
CACHE := $(shell command -v ccache)
ifneq ($(CACHE),)  # every build finds what another compiled
export CMAKE_CXX_COMPILER_LAUNCHER ?= $(CACHE)
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export CCACHE_SLOPPINESS ?= include_file_ctime,include_file_mtime,time_macros
endif

TORCH ?= torch==2.13.0  # that the GPU code runs on, on the CPU; a build for the CPU alone is smaller

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-page test-gpu-twins fuzz fuzz-native smoke bare walk page lint format types sanitize arm stubs bench gallery test-gpu bench-gpu figures notebooks inputs docs size clean

help:  ## Show what can be made.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-9s %s\n", $$1, $$2}'

setup: $(INSTALLED)  ## Create .venv, build the native core, install everything.

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip uninstall --quiet --yes setuptools  # which nothing here needs

$(VENV)/tools: $(VENV)/bin/python
	$(BIN)/pip install --quiet cmake ninja $$($(BIN)/python -c \
	  "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
	@touch $@

# Of what is installed, only modules that are imported get compiled, and then.
$(INSTALLED): pyproject.toml $(NATIVE) $(FOLDERS) | $(VENV)/tools
	$(BIN)/pip install --quiet --no-compile --no-build-isolation --editable ".[dev]"
	@$(BIN)/python -m compileall -q src  # now: folders that change later would be installed again
	@touch $@

# What a user needs, without the tools of development; what is there already serves as well.
$(VENV)/user: pyproject.toml $(NATIVE) $(FOLDERS) | $(VENV)/bin/python
	$(BIN)/pip install --quiet --no-compile --editable ".[web]"
	@$(BIN)/python -m compileall -q src
	@touch $@

demo: $(if $(wildcard $(INSTALLED)),$(INSTALLED),$(VENV)/user)  ## Study the bundled digits: the summary, and a report in demo/.
	$(BIN)/lookalike study digits --effort quick --out demo
	@echo "The commands above are in $(BIN): $(BIN)/lookalike serve demo"
	@echo "This was a first look; the study with all folds and trees: $(BIN)/lookalike study digits"

# Many processes read what one of them compiled, and none needs other plugins of pytest.
test: export PYTHONDONTWRITEBYTECODE =
test: export PYTEST_DISABLE_PLUGIN_AUTOLOAD = 1
test: $(INSTALLED)  ## Run all tests but those of the page.
	$(BIN)/python -m pytest -p xdist -p hypothesispytest -n $(JOBS) --dist loadgroup --no-loadscope-reorder --ignore=tests/browser

test-page: $(INSTALLED)  ## Run the tests of the page in Chromium, which is installed where apt-get may do so.
	@command -v chromium-browser >/dev/null || .ci/debian-package chromium \
	  || echo "The tests of the page are skipped: they need Chromium." >&2
	$(BIN)/python -m pytest tests/browser

fuzz: $(INSTALLED) fuzz-native  ## Draw files, bodies, conditions, routes and command lines for MINUTES=60; counts in build/fuzz.
	$(BIN)/python tests/fuzz/run.py --minutes $(MINUTES)

fuzz-native: | $(VENV)/tools  ## Call native kernels as libFuzzer says for a minute, where clang is installed.
	@! command -v clang++ >/dev/null || { \
	  $(BIN)/cmake -S . -B build/fuzz-native -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" \
	    -DLOOKALIKE_PYTHON=OFF -DLOOKALIKE_FUZZ=ON -DLOOKALIKE_SANITIZE=address,undefined >/dev/null \
	  && $(BIN)/cmake --build build/fuzz-native >/dev/null && mkdir -p build/fuzz-native/corpus \
	  && cd build/fuzz-native && ./fuzz_kernels -max_total_time=60 -print_final_stats=1 corpus; }

smoke: $(INSTALLED)  ## Run the quickest tests, in ten seconds.
	$(BIN)/python -m pytest -q tests/test_import.py tests/test_architecture.py tests/reductions

# With the cmake and the nanobind of the other builds, what they compiled is compiled no more.
bare: | $(VENV)/tools  ## Prove that the package alone, without extras, installs and studies a table.
	rm -rf build/bare && $(PYTHON) -m venv build/bare
	PATH="$$($(BIN)/python -c 'import cmake; print(cmake.CMAKE_BIN_DIR)'):$(abspath $(BIN)):$$PATH" \
	  build/bare/bin/pip install --quiet --no-compile . \
	  --config-settings=cmake.define.nanobind_DIR=$(abspath $(shell $(BIN)/python -m nanobind --cmake_dir))
	build/bare/bin/lookalike study iris --time 20s --out build/bare/study

# Only Python and curl are found on the walk: what needs a compiler was done before.
walk: $(INSTALLED)  ## Build the wheel, and walk through the README with it where there is no compiler; prints the times.
	@mkdir -p build/wheel && rm -f build/wheel/*.whl
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(BIN)/python docs/first_walk.py build/wheel/*.whl

node_modules: package.json package-lock.json
	npm ci --silent --no-audit --no-fund
	@touch $@

page: $(if $(shell command -v npm),node_modules)  ## Check style and types of the page, and run its unit tests, where node is installed.
	@! command -v npm >/dev/null || { npm run --silent lint && npm test --silent; }

lint: $(INSTALLED) page  ## Check the style of Python, C++ and the page.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(filter %.hpp %.cpp,$(NATIVE))

format: $(INSTALLED) $(if $(shell command -v npm),node_modules)  ## Put Python, C++ and the page into style.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(filter %.hpp %.cpp,$(NATIVE))
	@! command -v npm >/dev/null || npm run --silent format

types: $(INSTALLED)  ## Check the types.
	$(BIN)/mypy

sanitize: sanitize-address,undefined sanitize-thread  ## Run the C++ tests under address, undefined-behavior and thread sanitizers.

sanitize-%: | $(VENV)/tools
	$(BIN)/cmake -S . -B build/$@ -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1" -DLOOKALIKE_PYTHON=OFF \
	  -DLOOKALIKE_TESTS=ON -DLOOKALIKE_SANITIZE=$*
	$(BIN)/cmake --build build/$@
	$(BIN)/ctest --test-dir build/$@ --output-on-failure -j 2

arm: | $(VENV)/tools  ## Compile for ARM, and run the C++ tests at its vector levels in qemu-user, where both are installed.
	$(BIN)/cmake -S . -B build/arm -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64;-L;/usr/aarch64-linux-gnu" \
	  -DLOOKALIKE_PYTHON=OFF -DLOOKALIKE_TESTS=ON
	$(BIN)/cmake --build build/arm
	$(BIN)/ctest --test-dir build/arm --output-on-failure -j 2 -E test_parallel  # qemu-user cannot fork threads
	QEMU_CPU=cortex-a72 $(BIN)/ctest --test-dir build/arm --output-on-failure -R "distance|kernel_sums|panel"

stubs: $(INSTALLED)  ## Write the types of the native module again.
	$(BIN)/python -m nanobind.stubgen -q -m lookalike._core -o src/lookalike/_core.pyi

bench: $(INSTALLED)  ## Measure speed and memory compared with other tools; QUICK=1: all on small data; BENCH="pca lsa": some.
	$(BIN)/pip install --quiet "hnswlib>=0.8"  # compiled with build tools of its own
	$(BIN)/pip install --quiet --no-build-isolation --editable ".[dev,bench]"
	$(BIN)/python -m benchmarks.run $(if $(filter-out 0,$(QUICK)),--quick) $(BENCH)

gallery: $(INSTALLED)  ## Compute the figures and pictures of the sources again, into gallery/index.html.
	$(BIN)/python gallery/run.py

test-gpu: $(INSTALLED)  ## Run the tests of the GPU on a machine with a card.
	$(BIN)/pip install --quiet "torch>=2.4"
	$(BIN)/python -m pytest tests/index/test_gpu_exact.py tests/engines/test_gpu.py tests/engines/test_gpu_fits.py

# Beside the environment, so that all other tests run without torch.
build/torch/installed: | $(INSTALLED)
	@$(BIN)/pip install --quiet --target build/torch $(TORCH) && touch $@ \
	  || echo "skipped: pip finds no torch for this system, so the GPU code is not tested"

test-gpu-twins: $(INSTALLED) build/torch/installed  ## Run the tests of the GPU on the CPU, where pip finds torch.
	@[ ! -e build/torch/installed ] || PYTHONPATH=build/torch $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup \
	  tests/index/test_gpu_exact.py tests/engines/test_gpu.py tests/engines/test_gpu_fits.py

bench-gpu: $(INSTALLED)  ## Measure the GPU, compared with torch's own search.
	$(BIN)/pip install --quiet "torch>=2.4"
	for stem in exact reductions; do $(BIN)/python -m benchmarks.bench_gpu_$$stem || exit 1; done

figures:  ## Write again what pages take from files: benchmarks, links, decisions, imports.
	for stem in benchmark_page readme_links adr_index import_diagram; do $(PYTHON) docs/$$stem.py || exit 1; done

notebooks: $(INSTALLED)  ## Run the notebooks of docs/notebooks again, and keep what they print.
	$(BIN)/pip install --quiet "nbclient>=0.8" "ipykernel>=6"
	$(BIN)/python docs/notebook_pages.py

inputs: $(INSTALLED)  ## Write the table of docs/engines.md: which model takes which input.
	LOOKALIKE_WRITE_DOCS=1 $(BIN)/pytest -q tests/models/test_inputs.py

docs: $(INSTALLED)  ## Build the pages of the guide and the reference.
	$(BIN)/pip install --quiet "sphinx>=7" "myst-parser>=3" "furo>=2024" "latex2mathml>=3.77"
	$(BIN)/sphinx-build -W -q -E docs docs/_build
	$(BIN)/python docs/check_links.py docs/_build
	@echo "docs/_build/index.html"

size: $(INSTALLED)  ## List the largest files.
	@git ls-files '*.py' '*.hpp' '*.cpp' | xargs wc -l | sort -n | tail -25

clean:  ## Remove what was built.
	rm -rf build demo docs/_build gallery/index.html gallery/pictures $(VENV)
