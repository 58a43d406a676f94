# tdc: builds the compiler (make), tests it (make check), shows it (make demo).
# Needs what requirements.apt lists; check and demo install it where they may.
B       := build
ifeq ($(origin CC),default)
CC      := gcc
endif
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wno-sign-conversion -Werror=switch
CFLAGS  ?= -O2 -g
CFLAGS  += -std=c11 -D_POSIX_C_SOURCE=200809L $(WARN) -ffp-contract=off -I. -I$(B)
ifneq ($(WERROR),)
CFLAGS  += -Werror
endif
ifneq ($(SAN),)
B       := build/san
CFLAGS  += -fsanitize=address,undefined -fno-sanitize-recover=undefined
LDFLAGS += -fsanitize=address,undefined
endif

MAIN := frontend/main.c
SRC  := $(filter-out $(MAIN),$(wildcard ir/*.c sched/*.c backend_cuda/*.c frontend/*.c grammar/*.c))
EMBEDDED := $(B)/backend_cuda/prelude.o $(patsubst %.in,$(B)/%_text.o,$(wildcard backend_cuda/*.in)) $(B)/ir/diag_examples.o
OBJ  := $(SRC:%.c=$(B)/%.o) $(EMBEDDED) $(if $(wildcard grammar/lexer.re),$(B)/grammar/lexer.o) $(if $(wildcard grammar/parser.y),$(B)/grammar/parser.o)
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
all: $(B)/tdc $(B)/libtdc.a
.PHONY: all install wheel deps unit random check check-all check-gpu mutation demo format clean bench fuzz
.DELETE_ON_ERROR:

$(B)/tdc: $(B)/frontend/main.o $(B)/libtdc.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldl -lm -pthread
$(B)/libtdc.a: $(OBJ)
	rm -f $@ && ar rcs $@ $^
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# Files that travel inside tdc as arrays of lines: NAME_lines, NAME_nlines.
define EMBED
@mkdir -p $(@D)
n=$(basename $(@F)); { echo "extern const char *const $${n}_lines[]; extern const int $${n}_nlines;"; \
  echo "const char *const $${n}_lines[] = {"; sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/",/' $<; \
  echo '};'; echo "const int $${n}_nlines = (int)(sizeof $${n}_lines / sizeof *$${n}_lines);"; } > $@
endef
# The prelude's files in the order in which one uses another, without what stands before their first entry.
PRELUDE := $(patsubst %,backend_cuda/prelude/%.cuh,elements memory threads copies math integers grid)
$(B)/backend_cuda/prelude.cuh: $(PRELUDE)
	@mkdir -p $(@D)
	awk 'FNR == 1 { entry = 0; if (NR > 1) print "" } /^\/\/@/ { entry = 1 } entry' $^ > $@
$(B)/backend_cuda/prelude.c: $(B)/backend_cuda/prelude.cuh
	$(EMBED)
$(B)/backend_cuda/%_text.c: backend_cuda/%.in
	$(EMBED)
$(B)/ir/diag_examples.c: ir/diag_examples.txt
	$(EMBED)
$(EMBEDDED): %.o: %.c
	$(CC) $(CFLAGS) -c -o $@ $<

$(B)/grammar/lexer.c: grammar/lexer.re
	@mkdir -p $(@D)
	re2c -W -Werror --no-generation-date -o $@ $<
$(B)/grammar/parser.c: grammar/parser.y
	@mkdir -p $(@D)
	lemon -q -d$(@D) $<
$(B)/grammar/parser.h: $(B)/grammar/parser.c
$(addprefix $(B)/grammar/,lexer.o errors.o drive.o): $(B)/grammar/parser.h
# Generated code is not held to the warnings that its generator cannot meet.
$(B)/grammar/lexer.o $(B)/grammar/parser.o: %.o: %.c
	$(CC) $(CFLAGS) -Wno-conversion -Wno-missing-prototypes -Wno-shadow -Wno-unused-parameter -Wno-unused-variable -MMD -MP -c -o $@ $<

unit: $(UNIT)
$(B)/unit/%: tests/unit/%.c $(B)/libtdc.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(filter %.o,$^) $(B)/libtdc.a -ldl -lm

# The fuzzers' targets, on their corpus.
$(B)/unit/test_fuzz: $(B)/tests/fuzz/targets.o
# libFuzzer: build/fuzz/fuzz_front, fuzz_graph, fuzz_kernel, fuzz_tuning (tests/fuzz/README.md).
FUZZ_SAN := address,undefined -fno-sanitize-recover=undefined
fuzz:
	@CFLAGS='-O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,$(FUZZ_SAN)' \
	  $(MAKE) -s CC=clang B=build/fuzz $(addprefix build/fuzz/fuzz_,front graph kernel tuning)
$(B)/fuzz_%: tests/fuzz/fuzzer.c $(B)/tests/fuzz/targets.o $(B)/libtdc.a
	$(CC) $(CFLAGS) -DFUZZ_TARGET=fuzz_$* -fsanitize=fuzzer,$(FUZZ_SAN) -static-libstdc++ -static-libgcc -o $@ $^ -lm

# Random programs (tests/random): a program of its own beside the unit tests.
RANDOM_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/random/*.c))
random: $(B)/random
$(B)/random: $(RANDOM_OBJ) $(B)/libtdc.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldl -lm

deps:
	@sh tests/deps.sh
# All tests that need no GPU; `make check SAN=1` under the sanitizers, `make check UPDATE=1` rewrites the expectations.
check: deps
	@$(MAKE) -s all unit random
	@B=$(B) tests/run.sh $(if $(UPDATE),--update)
# All of check, 2000 random programs more, and all of the library in tests/same.
check-all: check
	@printf '%s\n' 1 2 3 4 | B=$(B) TDC_RANDOM=500 TDC_SCHEDULES=2 xargs -P "$${JOBS:-$$(nproc)}" -I{} env TDC_SEED={} bash tests/random/run.sh
	@B=$(B) TDC_EVERY=1 bash tests/same/run.sh
# The numeric tests on the GPU of this machine.
check-gpu: deps
	@$(MAKE) -s all unit
	@B=$(B) tests/run.sh --gpu
# All of the mutation run, of which check does a part.
mutation: deps
	@$(MAKE) -s all
	@B=$(B) python3 tests/mutation/mutation.py
# Times the suite on the GPU of this machine, beside PyTorch; needs nvcc and PyTorch.
bench: deps
	@$(MAKE) -s all
	@TDC=$(abspath $(B))/tdc PYTHONPATH=python python3 bench/measure.py run --json $(B)/bench.json
# Compiles a sample and runs it on a GPU, or on the CPU stand-in.
demo: deps
	@$(MAKE) -s all
	@TDC=$(B)/tdc samples/demo.sh
# The command, its library, the stand-in, the manual page and completions: make install PREFIX=/usr/local [DESTDIR=...]
PREFIX  ?= /usr/local
SHARE   := $(DESTDIR)$(PREFIX)/share
INSTALL := install -m 644
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/tdc/stdlib $(SHARE)/tdc/backend_cuda/emu $(SHARE)/tdc/backend_cuda/run \
	  $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions
	install -m 755 $(B)/tdc $(DESTDIR)$(PREFIX)/bin/tdc
	$(INSTALL) stdlib/*.td $(SHARE)/tdc/stdlib
	$(INSTALL) backend_cuda/emu/*.* $(SHARE)/tdc/backend_cuda/emu
	$(INSTALL) backend_cuda/run/*.c $(SHARE)/tdc/backend_cuda/run
	$(INSTALL) docs/tdc.1 $(SHARE)/man/man1/tdc.1
	$(B)/tdc --completion=bash > $(SHARE)/bash-completion/completions/tdc
	$(B)/tdc --completion=zsh > $(SHARE)/zsh/site-functions/_tdc
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

-include $(OBJ:.o=.d) $(B)/frontend/main.d $(B)/tests/fuzz/targets.d $(UNIT:=.d) $(RANDOM_OBJ:.o=.d)
