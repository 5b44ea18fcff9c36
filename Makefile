# skein - one file, non-recursive: a folder is a unit
#
#   make                          all programs, in build/bin
#   make run                      set up, build, start, send a sample, show it
#   make test                     set up, build, run all tests
#   make bench                    speed, as ratios to the raw limit
#   make fuzz                     fuzz what parses, for a bounded time
#   make eval-acts eval-chains eval-artifacts eval-links eval-retrieval eval-context
#                                 quality, on labelled dialogues
#   make install                  PREFIX, DESTDIR
#   make SAN=address,undefined test
#
# CFLAGS and LDFLAGS are the user's; ours end in an underscore.

STAGES  = ingest classify chainer compactor linker store
OTHERS  = query assess
PREFIX ?= /usr/local
CC      = gcc
CFLAGS  = -O2 -g
,      := ,
B       = build$(if $(SAN),-$(subst $(,),-,$(SAN)))
# Warnings are errors in the plain build; with its checks woven in, gcc also
# warns of null pointers that only its own code could see.
SANFLAG = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -Wno-error)

PKGS    = libzmq msgpack lmdb jansson libutf8proc libsodium libxxhash
CFLAGS_ = -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror \
	  -ffp-contract=off -fno-strict-aliasing -I. -include common/banned.h \
	  $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(SANFLAG) $(CFLAGS)
LDLIBS_ = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lev -lstemmer -lm

# A folder's main file bears its name; all others are its library.
mains   = $(foreach s,$(STAGES) $(OTHERS),$(s)/$(s).c) cli/skein.c monitor/skein-tap.c store/skein-merge.c store/skein-embed.c
libsrc  = $(filter-out $(mains),$(wildcard common/*.c $(foreach s,$(STAGES) $(OTHERS),$(s)/*.c) cli/*.c monitor/*.c))
objs    = $(patsubst %.c,$(B)/%.o,$(1))
LIB     = $(B)/libskein.a
PROGS   = $(foreach s,$(STAGES) $(OTHERS),$(B)/bin/skein-$(s)) $(B)/bin/skein \
	  $(B)/bin/skein-merge $(B)/bin/skein-embed $(if $(wildcard monitor/skein-tap.c),$(B)/bin/skein-tap)

UNITS   = $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/u-*.c))
TOOLS   = $(patsubst tests/%.c,$(B)/tests/%,$(filter-out $(wildcard tests/u-*.c tests/fuzz-*.c),$(wildcard tests/*.c)))
BENCHES = $(patsubst bench/%.c,$(B)/bench/%,$(wildcard bench/*.c))

all: $(PROGS) scripts-ready

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_) -MMD -MP -c -o $@ $<

$(LIB): $(call objs,$(libsrc))
	@mkdir -p $(@D)
	@rm -f $@
	@echo "  AR    $@"
	@$(AR) qcs $@ $^

define STAGE_PROG
$(B)/bin/skein-$(1): $(B)/$(1)/$(1).o $(LIB)
	@mkdir -p $$(@D)
	@echo "  LINK  $$@"
	@$$(CC) $$(SANFLAG) $$(LDFLAGS) -o $$@ $$^ $$(LDLIBS_)
endef
$(foreach s,$(STAGES) $(OTHERS),$(eval $(call STAGE_PROG,$(s))))
# Only these know libcurl: the linker takes nothing else of it.
$(B)/bin/skein-assess $(B)/bin/skein-embed $(B)/tests/u-assess-http: LDLIBS_ += -lcurl

$(B)/bin/skein: $(B)/cli/skein.o $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(SANFLAG) $(LDFLAGS) -o $@ $^ $(LDLIBS_)

$(B)/bin/skein-tap: $(B)/monitor/skein-tap.o $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(SANFLAG) $(LDFLAGS) -o $@ $^ $(LDLIBS_)

$(B)/bin/skein-merge $(B)/bin/skein-embed: $(B)/bin/%: $(B)/store/%.o $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(SANFLAG) $(LDFLAGS) -o $@ $^ $(LDLIBS_)

$(B)/tests/%: $(B)/tests/%.o $(LIB)
	@echo "  LINK  $@"
	@$(CC) $(SANFLAG) $(LDFLAGS) -o $@ $^ $(LDLIBS_)

# Only to compare with, and left out where it is not there.
$(B)/bench/bench-search: LDLIBS_ += $(shell pkg-config --libs sqlite3 2>/dev/null)

$(B)/bench/%: $(B)/bench/%.o $(LIB)
	@echo "  LINK  $@"
	@$(CC) $(SANFLAG) $(LDFLAGS) -o $@ $^ $(LDLIBS_)

# Programs find the supervisor, the process table and data beside themselves.
SHARE   = scripts/stages scripts/sample.jsonl $(wildcard scripts/supervise-*.sh classify/data/* chainer/data/* store/data/* compactor/data/* compactor/packages/*)

scripts-ready:
	@mkdir -p $(B)/bin $(B)/share
	@ln -sf "$(CURDIR)/scripts/skein-supervise" $(B)/bin/skein-supervise
	@ln -sf $(patsubst %,"$(CURDIR)/%",$(SHARE)) $(B)/share/

tools: $(UNITS) $(TOOLS) $(B)/docs/reference

$(B)/docs/reference: $(B)/docs/reference.o $(LIB)
	@echo "  LINK  $@"
	@$(CC) $(SANFLAG) $(LDFLAGS) -o $@ $^ $(LDLIBS_)

# On a bare machine the packages come first, and only then can make know the
# compiler's flags: so these targets start make again.  Two of them at once
# would build the same files twice.
ifneq ($(filter run test bench fuzz eval-% clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

run:
	@scripts/setup
	@$(MAKE) --no-print-directory all
	@SKEIN_BIN=$(B)/bin scripts/demo

test:
	@scripts/setup
	@$(MAKE) --no-print-directory all tools
	@SKEIN_BIN=$(B)/bin prove -e '' $(PROVEFLAGS) $(sort $(UNITS)) \
	    $(sort $(wildcard tests/s-*.sh))

bench:
	@scripts/setup
	@$(MAKE) --no-print-directory all $(BENCHES)
	@SKEIN_BIN=$(B)/bin bench/run

# Fuzzers need clang, which make test does not.
FUZZ_SECONDS = 60
FUZZERS = $(patsubst tests/fuzz-%.c,%,$(wildcard tests/fuzz-*.c))

$(B)/fuzz/%: $(B)/tests/fuzz-%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) -fsanitize=fuzzer,address,undefined $(LDFLAGS) -o $@ $^ $(LDLIBS_)

fuzz:
	@command -v clang >/dev/null || { echo "make fuzz needs clang:" \
	    "apt-get install clang libclang-rt-14-dev"; exit 1; }
	@$(MAKE) --no-print-directory B=build-fuzz CC=clang \
	    SAN=fuzzer-no-link,address,undefined \
	    CFLAGS='-O1 -g -fno-sanitize-recover=undefined' \
	    $(FUZZERS:%=build-fuzz/fuzz/%)
	@set -e; for f in $(FUZZERS); do echo "fuzz-$$f: $(FUZZ_SECONDS) s"; \
	    mkdir -p build-fuzz/corpus/$$f; \
	    build-fuzz/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
		-timeout=20 -print_final_stats=1 -verbosity=0 \
		-artifact_prefix=build-fuzz/$$f- build-fuzz/corpus/$$f \
		$$(ls -d tests/data/fuzz/$$f 2>/dev/null); done

# Quality, on data that is not part of the project (SKEIN_DATA).
eval-acts eval-chains eval-artifacts eval-links eval-retrieval eval-context:
	@scripts/setup
	@$(MAKE) --no-print-directory all
	@SKEIN_BIN=$(B)/bin bench/$@ $(EVALFLAGS)

# What the .def files say, for people: REFERENCE.md and the sample settings.
docs: $(B)/docs/reference
	$< markdown > docs/REFERENCE.md
	$< conf > skein.conf

compile_commands.json: Makefile
	@$(MAKE) -Bn all tools | awk -v dir='$(CURDIR)' ' \
	    / -c -o / { gsub(/["\\]/, "\\\\&"); \
		printf "%s{\"directory\":\"%s\",\"file\":\"%s\",\"command\":\"%s\"}", \
		    n++ ? ",\n" : "[", dir, $$NF, $$0 } END { print "]" }' > $@

BINDIR  = $(DESTDIR)$(PREFIX)/bin
LIBEXEC = $(DESTDIR)$(PREFIX)/libexec/skein
SHAREDIR = $(DESTDIR)$(PREFIX)/share/skein
MANDIR  = $(DESTDIR)$(PREFIX)/share/man

install: all
	install -d $(BINDIR) $(LIBEXEC) $(SHAREDIR) $(MANDIR)/man1 $(MANDIR)/man8
	install $(B)/bin/skein scripts/skein-supervise $(BINDIR)
	install $(filter-out $(B)/bin/skein,$(PROGS)) $(LIBEXEC)
	install -m 644 $(SHARE) skein.conf $(SHAREDIR)
	install -m 644 $(wildcard */*.1) $(MANDIR)/man1
	install -m 644 $(wildcard */*.8) $(MANDIR)/man8

uninstall:
	rm -rf $(LIBEXEC) $(SHAREDIR)
	rm -f $(BINDIR)/skein $(BINDIR)/skein-supervise \
	    $(addprefix $(MANDIR)/man1/,$(notdir $(wildcard */*.1))) \
	    $(addprefix $(MANDIR)/man8/,$(notdir $(wildcard */*.8)))

clean:
	rm -rf build build-* compile_commands.json

.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all scripts-ready tools run test bench docs install uninstall clean fuzz eval-acts eval-chains eval-artifacts eval-links eval-retrieval eval-context
# Tests read the data in the tree; programs find theirs by their own place.
$(B)/tests/%.o $(B)/bench/%.o: CFLAGS_ += -DSKEIN_SOURCE_DIR='"$(CURDIR)"'

-include $(wildcard $(B)/*/*.d)
