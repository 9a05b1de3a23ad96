# Two commands do everything on a bare machine:
#   make demo    install what is missing, build, run the example kernels and check them against plain C
#   make check   install what is missing, build, run all tests
# Below them is CMake with Ninja (CMakePresets.json).

PRESET ?= release
BUILD = build/$(PRESET)
PREFIX ?= /usr/local

.PHONY: help demo check bare difftest mutate mutants matrix bench cache-table stress build install wheel reference docs clean setup setup-test

help:
	@echo "make demo      build, then run the example kernels and check each against plain C"
	@echo "make check     build, then run all tests (FULL=1: with the slow checks; TESTS='part of a path ...')"
	@echo "make bare      run both in bare roots of Debian, with the network and without it (SUITES='bookworm trixie'; needs root and debootstrap)"
	@echo "make build     build alone; PRESET=release|debug|asan|dist, CC=gcc|clang"
	@echo "make matrix    build, then compile and simulate the matrix of matmuls (MATRIX='kind=fp16 target=sm_86 --count 100'; resumes)"
	@echo "make difftest  build, then run random programs by the interpreter and the simulator, which must agree (SECONDS=60 SEED=, JOBS=, TARGET=cuda)"
	@echo "make mutate    build, then edit random programs at random: what the compile cache gives must be what a compilation gives (COUNT=5000 or SECONDS=, SEED=, JOBS=, WAY=c|python|command)"
	@echo "make mutants   build, then change lowered kernels a line at a time: the simulator's checks must notice each (SEED=, KERNEL= part of a name, PER_KERNEL=, JOBS=, LOG= keeps verdicts: what is there is not run again)"
	@echo "make bench     build, then time compiler and interpreter on this machine"
	@echo "make cache-table  build, then print what the compile cache saves of twenty kernels, beside what is promised (TARGET=sm_90a)"
	@echo "make stress    build, then set 64 processes on one compile cache, which are killed and whose files are damaged; then with servers behind it (SECONDS=120 FOLDER=)"
	@echo "make wheel     build the Python package as one file, dist/neso-*.whl, for every CPython from 3.10 on (MACHINE=aarch64: for 64-bit ARM)"
	@echo "make reference build, then write docs/reference and the type stubs from the tables that they describe"
	@echo "make docs      build, then the pages of docs/ as a site, build/docs/index.html (fetches Sphinx from the Python package index)"
	@echo "make install   build what is handed out and install it below PREFIX=$(PREFIX)"
	@echo "make clean     remove everything that was built"

setup:
	@sh scripts/setup

setup-test:
	@sh scripts/setup --test

# build_preset PRESET [TARGETS]. Configures when there is no build yet, or one from before cmocka, Python's headers, LLVM or what remote caches need were installed; CMake
# itself notices later changes.
define build_preset
	@{ [ -f build/$(1)/build.ninja ] && ! grep -qE '^(CMOCKA|_Python3_INCLUDE_DIR|NESO_LLVM_CONFIG|NESO_HIREDIS_LIBRARY|NESO_CURL_LIBRARY):.*NOTFOUND' build/$(1)/CMakeCache.txt; } || { \
		echo "configure: build/$(1)"; mkdir -p build; \
		cmake --preset $(1) $(if $(FULL),-DNESO_WERROR=ON) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }; }
	@echo "build: build/$(1)"
	@cmake --build --preset $(1) $(if $(2),--target $(2))
endef

build: setup
	$(call build_preset,$(PRESET))

demo: setup
	$(call build_preset,$(PRESET),example_demo neso_command)
	@echo "run: $(BUILD)/examples/demo"
	@$(BUILD)/examples/demo examples

check: setup-test
	@rm -f $(BUILD)/test-summary
	$(call build_preset,$(PRESET))
	@echo "test: scripts/run-tests -b $(BUILD)"
	@sh scripts/run-tests -b $(BUILD) $(if $(FULL),--full) $(TESTS)

bare:
	@for suite in $(or $(SUITES),bookworm trixie); do sh scripts/bare --suite $$suite || exit 1; done

# Days of one processor: it may be stopped, and goes on where it was; without $(BUILD)/matrix.log from the beginning.
matrix: setup
	$(call build_preset,$(PRESET),matrix)
	@$(BUILD)/test/matrix --kernels test/matrix/matmul.py --check --log $(BUILD)/matrix.log --ptxas 50 $(MATRIX)

# SEED: of the first program, the clock's when not given; TARGET: cuda, sim:sm_80, ..., two simulators when not given. What is found is shrunk
# and kept in test/diff.
difftest: setup
	$(call build_preset,$(PRESET),difftest neso-codegen)
	@$(BUILD)/test/difftest --seconds $(or $(SECONDS),60) --seed $(or $(SEED),$(shell date +%s)) $(if $(JOBS),--jobs $(JOBS)) $(addprefix --target ,$(TARGET)) --keep test/diff

# COUNT: of edits; SECONDS: at most. SEED: of the first program, the clock's when not given. What is found is made smaller and kept in
# $(BUILD)/mutate.
mutate: setup
	$(call build_preset,$(PRESET))
	@mkdir -p $(BUILD)/mutate
	@$$(sh scripts/find-python) test/mutate/mutate.py --build $(BUILD) --count $(or $(COUNT),$(if $(SECONDS),0,5000)) --seconds $(or $(SECONDS),0) --seed $(or $(SEED),$(shell date +%s)) $(addprefix --jobs ,$(JOBS)) $(addprefix --way ,$(WAY)) --keep $(BUILD)/mutate

# SEED: which ones of a kernel's mutants, where PER_KERNEL is less than there are. What survives is printed, and lies in $(BUILD)/mutants.
mutants: setup
	$(call build_preset,$(PRESET),neso_command neso-codegen)
	@$$(sh scripts/find-python) test/mutants/mutants.py --build $(BUILD) --seed $(or $(SEED),1) --per-kernel $(or $(PER_KERNEL),100) $(addprefix --only ,$(KERNEL)) $(addprefix --jobs ,$(JOBS)) $(addprefix --log ,$(LOG)) --keep $(BUILD)/mutants

bench: setup
	$(call build_preset,$(PRESET),example_bench)
	@$(BUILD)/examples/bench .

# FOLDER: where the cache lies; a new one in /tmp when not given.
stress: setup
	$(call build_preset,$(PRESET),cache_stress serve_stress neso_command)
	@folder=$(or $(FOLDER),$$(mktemp -d)) && $(BUILD)/test/cache_stress --processes 64 --keys 200 --seconds $(or $(SECONDS),120) "$$folder"
	@folder=$$(mktemp -d) && FAKE_CUDA_QUIET=1 NESO_CODEGEN_PATH=$(BUILD) $(BUILD)/test/serve_stress --seconds $(or $(SECONDS),120) $(BUILD)/test/fake/libcuda.so.1 "$$folder"; status=$$?; rm -rf "$$folder"; [ $$status = 0 ] || [ $$status = 77 ]
	@STRESS_SECONDS=$(or $(SECONDS),120) STRESS_PROCESSES=64 STRESS_KEYS=200 sh scripts/run-tests -b $(BUILD) cache_stress_servers

# Fails where a promise is not kept.
cache-table: setup
	$(call build_preset,$(PRESET),example_cache_table)
	@$(BUILD)/examples/cache_table $(addprefix --target ,$(TARGET)) .

install: setup
	$(call build_preset,dist)
	@cmake --install build/dist --strip --prefix "$(PREFIX)"

# MACHINE=aarch64: for 64-bit ARM, by a cross-compiler, against Debian's packages for it in SYSROOT, which are fetched when they are not there.
SYSROOT = build/sysroot/$(MACHINE)
ifeq ($(MACHINE),)
wheel: setup
	$(call build_preset,dist)
	@cmake --build --preset dist --target neso_wheel
else
wheel: setup
	@sh scripts/sysroot $(SYSROOT)
	@echo "configure: build/$(MACHINE)"
	@cmake --preset dist --toolchain cmake/$(MACHINE).cmake -B build/$(MACHINE) -DCMAKE_SYSROOT=$(abspath $(SYSROOT)) >build/$(MACHINE).log 2>&1 || { cat build/$(MACHINE).log; exit 1; }
	@cmake --build build/$(MACHINE) --target neso_wheel
endif

# What depends on tables is written anew; make check says when it has to be.
reference: setup
	$(call build_preset,$(PRESET))
	@python3 -B scripts/reference --build $(BUILD)

docs: reference
	@sh scripts/site

clean:
	rm -rf build dist
