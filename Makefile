# Each target is a line or two over CMake.  `make help` lists them.
#
# SPDX-License-Identifier: MIT
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 1)
MAKEFLAGS += --no-print-directory

# $(call build,FOLDER,OPTIONS) configures and builds: a line each, or all output with V=1.
build = @tools/stage configure $(BUILD)/$(1)/configure.log cmake -S . -B $(BUILD)/$(1) $(2) && \
	tools/stage build $(BUILD)/$(1)/build.log cmake --build $(BUILD)/$(1) -j$(JOBS)
# $(call test,FOLDER) runs every test that the folder was built with.
test = top=$$PWD && cd $(BUILD)/$(1) && $$top/tools/stage test $$PWD/test.log \
	ctest --output-on-failure --timeout 900 -j$(JOBS)

release = -DCMAKE_BUILD_TYPE=Release -DBONSAI_TESTS=$(1)
debug   = -DCMAKE_BUILD_TYPE=Debug -DBONSAI_TESTS=ON
clang   = -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
tsan    = $(clang) $(debug) -DBONSAI_SANITIZE=thread
# archer, which is beside libomp, tells the thread sanitizer what OpenMP orders
archer  = export TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	OMP_TOOL_LIBRARIES="$$(sed -n 's/^OpenMP_omp_LIBRARY:.*=\(.*\)omp.so$$/\1archer.so/p' \
	$(BUILD)/tsan/CMakeCache.txt)"; test -f "$$OMP_TOOL_LIBRARIES" &&

all:            ## the library and the program, in build/release
	@tools/setup -n build
	$(call build,release,$(call release,OFF))

demo:           ## set up, build, and show what the program does
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@$(BUILD)/release/bonsai demo

test:           ## set up, build, and run the tests but for those of the night: minutes
	@tools/setup test
	$(call build,release,$(call release,ON))
	@$(call test,release) -LE night

test-night:     ## everything: all tests with all their cases, sanitizers, threads, faults, browser, documents: hours
	@tools/setup test
	$(call build,release,$(call release,ON))
	@export NIGHT=1; $(call test,release)
	@NIGHT=1 $(MAKE) test-faults asan tsan test-pyg test-browser test-docs

wheel:          ## the Python package with all it needs, in build/wheel
	@tools/setup wheel
	@tools/wheel $(BUILD)

wheels:         ## wheels for glibc 2.17, x86_64 and aarch64 (ARCHS), in build/wheels; needs the package index
	@tools/setup wheels
	@tools/wheels $(BUILD) $(ARCHS)

test-wheels:    ## those on Python 3.9 to 3.13, and in Debian 11, also on aarch64 under emulation
	@tests/wheel/run_wheels.sh $(BUILD)

test-pyg:       ## the wheel, alone and beside PyTorch Geometric in build/pyg
	@tools/setup wheel
	@tests/pyg/run_pyg.sh $(BUILD)

docs:           ## the site, in build/site; MkDocs comes from the package index, once
	@tools/setup wheel
	$(call build,release,$(call release,OFF))
	@tools/site/build $(BUILD) $(BUILD)/release/bonsai

test-docs:      ## the site and its links, the notebooks in Jupyter, every block; skipped without a package index
	@tools/setup wheel
	$(call build,release,$(call release,OFF))
	@tests/docs/run_docs.sh $(BUILD)

test-browser:   ## reports in headless Chromium: text, charts, colours, no request; skipped without one
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@tests/browser/run_browser.sh $(BUILD)/release/bonsai

test-scale:     ## graphs larger than the memory allowed: minutes, and 40 GB of disk
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@tests/scale/run_scale.sh $(BUILD)/release

test-faults:    ## calls that fail, full disks, signals and kills: minutes (FAULTS, KILLS, SEED)
	@tools/setup test
	$(call build,release,$(call release,ON)) --target cli shim
	@python3 -B tests/faults/faults.py $(BUILD)/release/bonsai $(BUILD)/release/shim.so

bench:          ## times, checked against the oracles
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@tools/stage build $(BUILD)/release/bench.log cmake --build $(BUILD)/release --target bench
	@bench/run_bench.sh $(BUILD)/release

bench-real:     ## seconds and memory on the datasets below DIR (../shared/data), beside the machine's limits
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@tools/stage build $(BUILD)/release/bench.log cmake --build $(BUILD)/release --target bench
	@bench/real.sh $(BUILD)/release $(or $(DIR),../shared/data)

bench-kernel:   ## what GC-SNTK's own regression gets of the test nodes of GRAPH with NODES nodes
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@tools/stage build $(BUILD)/release/bench.log cmake --build $(BUILD)/release --target kernel_bench
	@$(BUILD)/release/kernel_bench $(GRAPH) $(NODES)

bench-mag:      ## converts a generated folder of 10^7 papers in MAG240M's layout in bounded memory; see bench/mag.sh
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@sh bench/mag.sh $(BUILD)/release

bench-quality:  ## accuracy that small graphs of the datasets below DIR (../shared/data) keep; see bench/quality.sh
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@BONSAI=$(BUILD)/release/bonsai bench/quality.sh $(or $(DIR),../shared/data)

bench-search:   ## whether settings chosen on small graphs of GRAPHS below DIR (../shared/data) are good; see bench/search.py
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@BONSAI=$(BUILD)/release/bonsai DIR=$(or $(DIR),../shared/data) python3 -B bench/search.py

bench-pyg:      ## the same trained and judged by PyTorch Geometric, on a GPU where there is one, beside OLD; see bench/pyg_quality.py
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@BONSAI=$(BUILD)/release/bonsai DIR=$(or $(DIR),../shared/data) OUT=$(or $(OUT),$(BUILD)/pyg-quality) $(or $(PYTHON),python3) -B bench/pyg_quality.py

bench-habits:   ## accuracy of small graphs of GRAPHS below DIR by how people train, beside OLD; see bench/habits.py
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@BONSAI=$(BUILD)/release/bonsai DIR=$(or $(DIR),../shared/data) python3 -B bench/habits.py

bench-probe:    ## ranks of the probe beside trained networks, on GRAPHS (Cora, CiteSeer below DIR); see bench/probe.py
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@tools/stage build $(BUILD)/release/bench.log cmake --build $(BUILD)/release --target probe_bench
	@BUILD=$(BUILD)/release python3 -B bench/probe.py $(or $(GRAPHS),$(addprefix $(or $(DIR),../shared/data)/planetoid/ind.,cora citeseer))

bench-peers:    ## condensers that learn by their authors' protocol, on GRAPHS (Cora, CiteSeer below DIR); see bench/peers.py
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@BONSAI=$(BUILD)/release/bonsai python3 -B bench/peers.py $(or $(GRAPHS),$(addprefix $(or $(DIR),../shared/data)/planetoid/ind.,cora citeseer))

results:        ## doc/results.md and .json: the paper with the datasets below DATA (../shared/data): 70 minutes with Cora, CiteSeer and PubMed (PAPER: more options)
	@tools/setup build
	$(call build,release,$(call release,OFF))
	@$(BUILD)/release/bonsai paper --data $(or $(DATA),../shared/data) --out $(BUILD)/paper $(PAPER)
	@tools/results $(BUILD)/paper

fuzz:           ## every reader for FUZZ_SECONDS (60), or FUZZ_RUNS executions
	@tools/setup fuzz
	$(call build,fuzz,$(clang) -DCMAKE_BUILD_TYPE=Debug -DBONSAI_TESTS=OFF -DBONSAI_OPENMP=OFF \
	    -DBONSAI_FUZZ=ON -DBONSAI_SANITIZE=address$(comma)undefined)
	@fuzz/run_fuzz.sh $(BUILD)/fuzz

asan:           ## the tests under address and undefined-behaviour sanitizers
	@tools/setup test
	$(call build,asan,$(debug) -DBONSAI_SANITIZE=address$(comma)undefined)
	@$(call test,asan)

test-asan:      ## of those the unit and fuzz tests
	@tools/setup test
	$(call build,asan,$(debug) -DBONSAI_SANITIZE=address$(comma)undefined) --target unit_and_fuzz
	@$(call test,asan) -L 'unit|fuzz' -LE night

tsan:           ## the tests under the thread sanitizer (clang, libomp, archer)
	@tools/setup tsan
	$(call build,tsan,$(tsan))
	@$(archer) $(call test,tsan)

test-threads:   ## of those the ones of loops that run in threads: a few minutes
	@tools/setup tsan
	$(call build,tsan,$(tsan)) --target threaded
	@$(archer) $(call test,tsan) -L threads

coverage:       ## which lines and branches the tests run, by folder
	@tools/setup test
	$(call build,coverage,$(debug) -DBONSAI_COVERAGE=ON)
	@find $(BUILD)/coverage -name '*.gcda' -delete
	@export NIGHT=1; $(call test,coverage)
	@tools/coverage $(BUILD)/coverage

mutants:        ## small bugs made in the core: the share that a test notices (MUTANTS=400, SEED=1)
	@tools/setup test
	$(call build,mutants,$(debug) -DCMAKE_C_FLAGS_DEBUG=-O1 -DBONSAI_MPI=OFF)
	$(call build,asan,$(debug) -DBONSAI_SANITIZE=address$(comma)undefined)
	@NIGHT=1 nice -n 19 tools/mutants -n $(or $(MUTANTS),400) -s $(or $(SEED),1) -o $(BUILD)/mutants/log \
	    $(BUILD)/mutants $(BUILD)/asan

install:        ## into PREFIX (/usr/local), below DESTDIR
	$(call build,release,$(call release,OFF) -DCMAKE_INSTALL_PREFIX="$(PREFIX)")
	@tools/stage install $(BUILD)/release/install.log cmake --install $(BUILD)/release

uninstall:      ## remove the files that the last make install wrote, below DESTDIR
	@test -f $(BUILD)/release/install_manifest.txt || \
	    { echo "$(BUILD)/release/install_manifest.txt is missing: nothing was installed from here" >&2; exit 1; }
	@while IFS= read -r file || test -n "$$file"; do rm -fv "$(DESTDIR)$$file" || exit 1; done \
	    < $(BUILD)/release/install_manifest.txt
	@rm $(BUILD)/release/install_manifest.txt

clean:          ## remove what was built
	@rm -rf $(BUILD)

help:           ## this list
	@sed -n 's/^\([a-z-]*\): *## /\1\t/p' Makefile | expand -t 14

comma := ,
.PHONY: all demo test test-night wheel wheels test-wheels test-pyg docs test-docs test-browser test-scale test-threads test-asan test-faults bench bench-real bench-kernel bench-mag bench-quality bench-search bench-habits bench-peers results fuzz asan tsan coverage mutants install uninstall clean help
