# tdc: builds the compiler (make), tests it (make check), shows it (make demo), installs it (make install).
# Needs what requirements.apt lists; check and demo say what is missing, and install it where they may (DEPS=no: they only say it).
#
# Yours, on the command line or in the environment: CC, CPPFLAGS, CFLAGS, LDFLAGS; B, the folder for all that is built;
# PREFIX, DESTDIR, INSTALL, INSTALL_PROGRAM, INSTALL_DATA. What the sources need is kept apart from these, in OWN.
B       := build
ifeq ($(origin CC),default)
CC      := gcc
endif
CFLAGS  ?= -O2 -g
RE2C    ?= re2c
LEMON   ?= lemon
DEPS    ?= install
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wno-sign-conversion -Werror=switch
ifneq ($(WERROR),)
WARN    += -Werror
endif
ifneq ($(SAN),)
B       := build/san
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
endif
# The last words are for equal bytes from any folder: debug information and __FILE__ name files from the project's root.
OWN     := -std=c11 -ffp-contract=off $(SANITIZE) '-ffile-prefix-map=$(CURDIR)=.' '-ffile-prefix-map=$(B)/=build/'
COMPILE  = $(CC) $(WARN) -I. -I$(B) -D_POSIX_C_SOURCE=200809L $(CPPFLAGS) $(CFLAGS) $(OWN)
LINK     = $(CC) $(CFLAGS) $(OWN) $(LDFLAGS)
LIBS    := -ldl -lm -pthread

MAIN := frontend/driver/main.c
SRC  := $(filter-out $(MAIN),$(sort $(wildcard $(foreach d,grammar frontend/* ir ir/* sched/* backend_cuda backend_cuda/lower backend_cuda/glue,$d/*.c))))
EMBEDDED := $(B)/backend_cuda/prelude.o $(patsubst %.in,$(B)/%_text.o,$(wildcard backend_cuda/glue/*.in)) $(B)/ir/diag_examples.o
OBJ  := $(SRC:%.c=$(B)/%.o) $(EMBEDDED) $(if $(wildcard grammar/lexer.re),$(B)/grammar/lexer.o) $(if $(wildcard grammar/parser.y),$(B)/grammar/parser.o)
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
all: $(B)/tdc $(B)/libtdc.a
.PHONY: all install uninstall wheel FORCE unit random corpus check check-all check-gpu mutation demo format clean bench fuzz
.DELETE_ON_ERROR:

$(B)/tdc: $(B)/frontend/driver/main.o $(B)/libtdc.a
	$(LINK) -o $@ $^ $(LIBS)
$(B)/libtdc.a: $(OBJ)
	rm -f $@ && $(AR) rcs $@ $^
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c -o $@ $<

NEEDS = CC='$(CC)' RE2C='$(RE2C)' LEMON='$(LEMON)' $(or $2,DEPS='$(DEPS)') sh tests/deps.sh $1
# Says in one line what is missing, once, before anything is made.
$(OBJ) $(B)/frontend/driver/main.o $(EMBEDDED:.o=.c) $(B)/backend_cuda/prelude.cuh $(B)/commit: | $(B)/tools
$(B)/tools:
	@$(call NEEDS,'',DEPS=no) gcc libc6-dev re2c lemon
	@mkdir -p $(@D) && touch $@

# The commit that `tdc --version` names: git's, or in a tarball of `git archive` what that wrote into frontend/driver/commit.txt. A new
# one compiles main.c again and nothing else.
COMMIT := $(shell if [ -e .git ]; then git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null; \
  else grep -oE '^[0-9a-f]{12}' frontend/driver/commit.txt; fi)
$(B)/commit:
	@mkdir -p $(@D) && echo $(COMMIT) > $@
ifneq ($(COMMIT),)
ifneq ($(COMMIT),$(file <$(B)/commit))
$(B)/commit: FORCE
endif
endif
$(B)/frontend/driver/main.o: $(B)/commit
$(B)/frontend/driver/main.o: OWN += -DTDC_COMMIT='"$(COMMIT)"'

# Files that travel inside tdc as arrays of lines: NAME_lines, NAME_nlines.
define EMBED
@mkdir -p $(@D)
n=$(basename $(@F)); { echo "extern const char *const $${n}_lines[]; extern const int $${n}_nlines;"; \
  echo "const char *const $${n}_lines[] = {"; sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/",/' $<; \
  echo '};'; echo "const int $${n}_nlines = (int)(sizeof $${n}_lines / sizeof *$${n}_lines);"; } > $@
endef
# The prelude's files in the order in which one uses another, without what stands before their first entry.
PRELUDE := $(patsubst %,backend_cuda/prelude/%.cuh,elements integers memory threads copies math grid bins count sort rank)
$(B)/backend_cuda/prelude.cuh: $(PRELUDE)
	@mkdir -p $(@D)
	awk 'FNR == 1 { entry = 0; if (NR > 1) print "" } /^\/\/@/ { entry = 1 } entry' $^ > $@
$(B)/backend_cuda/prelude.c: $(B)/backend_cuda/prelude.cuh
	$(EMBED)
$(B)/backend_cuda/glue/%_text.c: backend_cuda/glue/%.in
	$(EMBED)
$(B)/ir/diag_examples.c: ir/diag_examples.txt
	$(EMBED)
$(EMBEDDED): %.o: %.c
	$(COMPILE) -c -o $@ $<

$(B)/grammar/lexer.c: grammar/lexer.re | $(B)/tools
	@mkdir -p $(@D)
	$(RE2C) -W -Werror --no-generation-date -o $@ $<
$(B)/grammar/parser.c: grammar/parser.y | $(B)/tools
	@mkdir -p $(@D)
	$(LEMON) -q -d$(@D) $<
$(B)/grammar/parser.h: $(B)/grammar/parser.c
$(addprefix $(B)/grammar/,lexer.o errors.o hints.o drive.o): $(B)/grammar/parser.h
# Generated code is not held to the warnings that its generator cannot meet.
$(B)/grammar/lexer.o $(B)/grammar/parser.o: %.o: %.c
	$(COMPILE) -Wno-conversion -Wno-missing-prototypes -Wno-shadow -Wno-unused-parameter -Wno-unused-variable -MMD -MP -c -o $@ $<

unit: $(UNIT)
$(B)/unit/%: tests/unit/%.c $(B)/libtdc.a
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -MMD -MP -o $@ $< $(filter %.o,$^) $(B)/libtdc.a $(LIBS)

# The fuzzers' targets, on their corpus.
$(B)/unit/test_fuzz: $(B)/tests/fuzz/targets.o
# libFuzzer: build/fuzz/fuzz_front, fuzz_graph, fuzz_kernel, fuzz_tuning (tests/fuzz/README.md).
FUZZ_SAN := address,undefined -fno-sanitize-recover=undefined
fuzz:
	@$(MAKE) -s CC=clang B=build/fuzz CFLAGS='-O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,$(FUZZ_SAN)' \
	  $(addprefix build/fuzz/fuzz_,front graph kernel tuning)
$(B)/fuzz_%: tests/fuzz/fuzzer.c $(B)/tests/fuzz/targets.o $(B)/libtdc.a
	$(COMPILE) -DFUZZ_TARGET=fuzz_$* -fsanitize=fuzzer,$(FUZZ_SAN) -static-libstdc++ -static-libgcc -o $@ $^ -lm

# Random programs (tests/random): a program of its own beside the unit tests.
RANDOM_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/random/*.c))
random: $(B)/random
$(B)/random: $(RANDOM_OBJ) $(B)/libtdc.a
	$(LINK) -o $@ $^ $(LIBS)

# The corpus of measured kernels (bench/corpus): what draws schedules, emits their kernels, and replays what was measured.
CORPUS_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard bench/corpus/corpus*.c))
corpus: $(B)/corpus
$(B)/corpus: $(CORPUS_OBJ) $(B)/libtdc.a
	$(LINK) -o $@ $^ $(LIBS)

# As many jobs as there are processors, where the user says nothing of jobs.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(or $(shell getconf _NPROCESSORS_ONLN 2>/dev/null),2))

# The tests that need no GPU, of what takes long a sample; `make check SAN=1` under the sanitizers, `make check UPDATE=1` rewrites
# the expectations. With TDC_EVERY=1 all of it.
check:
	@$(call NEEDS,check)
	@$(MAKE) -s $(PARALLEL) all unit random corpus
	@B=$(B) tests/run.sh $(if $(UPDATE),--update)
# All of every suite and every check, 2000 random programs, and 64 random schedules of each of tests/schedules more.
check-all: export TDC_EVERY := 1
check-all: check
	@printf '%s\n' 1 2 3 4 | B=$(B) TDC_RANDOM=500 TDC_SCHEDULES=2 xargs -P "$${JOBS:-$$(nproc)}" -I{} env TDC_SEED={} bash tests/random/run.sh
	@B=$(B) TDC_SCHEDULES=64 TDC_SEED=2 bash tests/schedules/run.sh
# The numeric tests on the GPU of this machine.
check-gpu:
	@$(call NEEDS,check-gpu)
	@$(MAKE) -s $(PARALLEL) all unit
	@B=$(B) tests/run.sh --gpu
# All of the mutation run, of which check does a part.
mutation:
	@$(call NEEDS,mutation)
	@$(MAKE) -s $(PARALLEL) all
	@B=$(B) python3 tests/mutation/mutation.py
# Times the suite on the GPU of this machine, beside PyTorch; needs nvcc and PyTorch.
bench:
	@$(call NEEDS,bench)
	@$(MAKE) -s $(PARALLEL) all
	@TDC=$(abspath $(B))/tdc PYTHONPATH=python python3 bench/measure.py run --json $(B)/bench.json
# Compiles a sample and runs it on a GPU, or on the CPU stand-in.
demo:
	@$(call NEEDS,demo) gcc g++ libc6-dev re2c lemon
	@$(MAKE) -s $(PARALLEL) all
	@TDC=$(B)/tdc samples/demo.sh
# What `make install PREFIX=/usr/local [DESTDIR=...]` installs: for each folder below PREFIX its files. The command is stripped as
# `$(INSTALL) -s` does it, which debhelper turns off for its own (INSTALL="install --strip-program=true");
# INSTALL_PROGRAM=install keeps its debug information.
PREFIX  ?= /usr/local
INSTALL ?= install
INSTALL_PROGRAM ?= $(INSTALL) -s
INSTALL_DATA    ?= $(INSTALL) -m 644
PYTHON  := $(patsubst %/__init__.py,%,$(wildcard python/*/__init__.py))
SHARED  := stdlib backend_cuda/emu backend_cuda/run cmake samples $(PYTHON)
$(foreach d,$(SHARED),$(eval FILES_share/tdc/$d := $(filter-out samples/demo.sh,$(wildcard $d/*.*) $(wildcard $d/Makefile))))
FILES_share/doc/tdc := README.md LICENSE $(wildcard docs/*.md)
FILES_share/man/man1 := docs/tdc.1
FILES_share/pkgconfig := $(B)/tdc.pc
FILES_share/bash-completion/completions := $(B)/completion/tdc
FILES_share/zsh/site-functions := $(B)/completion/_tdc
FOLDERS := $(SHARED:%=share/tdc/%) share/doc/tdc share/man/man1 share/pkgconfig share/bash-completion/completions share/zsh/site-functions

$(B)/completion/tdc $(B)/completion/_tdc: $(B)/tdc
	@mkdir -p $(@D)
	$(B)/tdc --completion=$(if $(filter _%,$(@F)),zsh,bash) > $@
$(B)/tdc.pc: docs/tdc.pc.in frontend/driver/driver.h
	sed "s/@VERSION@/$$(sed -n 's/^#define TDC_VERSION "\(.*\)"/\1/p' frontend/driver/driver.h)/" $< > $@

define PUT
install -d '$(DESTDIR)$(PREFIX)/$1'
$(INSTALL_DATA) $(FILES_$1) '$(DESTDIR)$(PREFIX)/$1'

endef
# Takes away what it put there, and then the folders of its own that are empty.
define TAKE
cd '$(DESTDIR)$(PREFIX)/$1' 2>/dev/null && rm -f $(notdir $(FILES_$1)) || :

endef
install: all $(foreach d,$(FOLDERS),$(FILES_$d))
	install -d '$(DESTDIR)$(PREFIX)/bin'
	$(INSTALL_PROGRAM) -m 755 $(B)/tdc '$(DESTDIR)$(PREFIX)/bin/tdc'
	$(foreach d,$(FOLDERS),$(call PUT,$d))
uninstall:
	rm -f '$(DESTDIR)$(PREFIX)/bin/tdc'
	$(foreach d,$(FOLDERS),$(call TAKE,$d))
	cd '$(DESTDIR)$(PREFIX)/share' && find tdc doc/tdc -depth -type d -empty -exec rmdir {} \; 2>/dev/null || :
# The Python package with the compiler in it: $(B)/wheel/tdlang-VERSION-py3-none-PLATFORM.whl, for pip install.
wheel: all
	@rm -rf $(B)/wheel && mkdir -p $(B)/wheel
	@$(MAKE) -s install DESTDIR=$(abspath $(B))/wheel/prefix PREFIX=
	@PYTHONDONTWRITEBYTECODE=1 python3 python/backend.py $(B)/wheel $(B)/wheel/prefix
	@rm -rf $(B)/wheel/prefix
format:
	@bash tests/checks/format.sh --fix
clean:
	rm -rf build

-include $(OBJ:.o=.d) $(B)/frontend/driver/main.d $(B)/tests/fuzz/targets.d $(UNIT:=.d) $(RANDOM_OBJ:.o=.d) $(CORPUS_OBJ:.o=.d)
