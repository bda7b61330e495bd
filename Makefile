# make [all] | demo | test | test-all (test and test-more) | ct | bench | vectors | vectors-openssl | lint | install | clean
#
# BUILD, CC, CFLAGS, CPPFLAGS, LDFLAGS, LIMB_BITS, PREFIX and DESTDIR may be set; V=1 shows commands.
# Nothing is configured or generated: sources are found by their folder, tests by their name.
# A different build of the same tree is a different BUILD, as in
#     make test BUILD=build/verify CPPFLAGS=-DVERIFY

BUILD  ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g

FLAGS := -std=c11 -Wall -Wextra -Wconversion -Wshadow -D_POSIX_C_SOURCE=200809L -Ibignum -Icrypto \
	-fPIC -fvisibility=hidden -pthread -MMD -MP $(if $(LIMB_BITS),-DLIMB_BITS=$(LIMB_BITS))
LIBS  := -lsodium -pthread
SO    := libtahr.so.0

Q   := $(if $(V),,@)
obj  = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)))
link = $(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
sub  = +@$(MAKE) --no-print-directory

.PHONY: all demo test test-more test-all ct bench vectors vectors-openssl lint install clean objects limb8 limb16 limb32 asan verify
.SECONDARY:

# --- The library and the apps ---

LIB_OBJ  := $(call obj,bignum/*.c crypto/*.c)
CLI_OBJ  := $(filter-out %/message.o %/plugin.o %/key.o %/key_check.o,$(call obj,apps/*.c))
TEST_OBJ := $(call obj,tests/*.c vectors/*.c)
APPS     := $(addprefix $(BUILD)/,$(if $(wildcard apps/message.c),tahr) \
	$(if $(wildcard apps/key.c),tahr-key) $(if $(wildcard apps/plugin.c),age-plugin-tahr))

all: $(APPS) $(BUILD)/libtahr.a $(BUILD)/libtahr.so

# Instructions that not every processor has, for one object that is not called without them.
AVX512 := -mavx512f -mavx512dq -mavx512vl -mavx512ifma -mbmi2
AVX512 := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),$(AVX512))
AVX512 := $(if $(findstring TAHR_IFMA_MODEL,$(CPPFLAGS)),-Wno-psabi,$(AVX512))
$(BUILD)/obj/bignum/ifma_kernels.o: private FLAGS += $(AVX512)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo CC $@
	$(Q)$(CC) $(FLAGS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# One object, in which only tahr_* can be seen: an app that calls anything else does not link.
$(BUILD)/libtahr.a: $(LIB_OBJ)
	$(Q)$(LD) -r -o $(BUILD)/obj/libtahr.o $^
	$(Q)objcopy --localize-hidden $(BUILD)/obj/libtahr.o
	$(Q)$(AR) rcs $@ $(BUILD)/obj/libtahr.o

$(BUILD)/libtahr.so: $(LIB_OBJ)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SO) -o $(BUILD)/$(SO) $^ $(LIBS)
	$(Q)ln -sf $(SO) $@

$(BUILD)/tahr: $(call obj,apps/message.c apps/plugin.c) $(CLI_OBJ) $(BUILD)/libtahr.a
	$(link)

$(BUILD)/tahr-key: $(call obj,apps/key.c apps/key_check.c) $(CLI_OBJ) $(BUILD)/libtahr.a
	$(link)

$(BUILD)/age-plugin-tahr: $(BUILD)/tahr
	$(Q)ln -sf tahr $@

demo: all
	@BUILD=$(BUILD) tests/demo

# --- Tests: test_*.c and *.sh for `make test`, slow_* for `make test-all` alone ---

TESTS := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
SLOW  := $(patsubst tests/%.c,%,$(wildcard tests/slow_*.c))
SHELL_TESTS := $(filter-out tests/slow_%,$(wildcard tests/*.sh))
# Tests of the limb loops run at every limb size, the others at 32 and 64 bits.
LIMB_TESTS  := $(filter test_nat% test_mod% test_inv% test_engine% test_mp% test_vectors,$(TESTS))
# Files of tests/ that are no program help every program.
HELP_OBJ := $(filter-out $(foreach p,test_% slow_% fuzz_% bench% ct.o faults.o,$(BUILD)/obj/tests/$(p)),$(call obj,tests/*.c))

TEST_LINK = $(HELP_OBJ) $(BUILD)/obj/inside.a
TEST_LIBS := -lcmocka -lcrypto -lgmp

$(BUILD)/obj/inside.a: $(LIB_OBJ)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/test_%: $(BUILD)/obj/tests/test_%.o $(TEST_LINK)
	$(link) $(TEST_LIBS)

# They make memory, or threads, run out.
$(BUILD)/test_mp: private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(BUILD)/test_stream: private LDFLAGS += -Wl,--wrap=pthread_create
$(BUILD)/test_message: private LDFLAGS += -Wl,--wrap=malloc,--wrap=sodium_malloc

$(BUILD)/slow_%: $(BUILD)/obj/tests/slow_%.o $(TEST_LINK)
	$(link) $(TEST_LIBS)

# Loaded before libc by faults.sh.
$(BUILD)/faults.so: $(BUILD)/obj/tests/faults.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ -ldl

limb8_tests  := $(LIMB_TESTS:%=$(BUILD)/limb8/%)
limb16_tests := $(LIMB_TESTS:%=$(BUILD)/limb16/%)
limb32_tests := $(TESTS:%=$(BUILD)/limb32/%)

limb8 limb16 limb32:
	$(sub) BUILD=$(BUILD)/$@ LIMB_BITS=$(@:limb%=%) $($@_tests)

test_builds := $(BUILD)/faults.so $(TESTS:%=$(BUILD)/%) limb8 limb16 limb32
test_runs   := BUILD=$(BUILD) $(TESTS:%=$(BUILD)/%) $(limb8_tests) $(limb16_tests) $(limb32_tests) $(SHELL_TESTS)

test: all $(test_builds)
	@tests/run $(test_runs)

# The slow tests; the others again with the sanitizers, and with the inequalities of the comments
# executed (VERIFY).
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
again     = BUILD=$(BUILD)/$(1) $(TESTS:%=$(BUILD)/$(1)/%) $(LIMB_TESTS:%=$(BUILD)/$(1)/limb8/%) $(TESTS:%=$(BUILD)/$(1)/limb32/%)

asan:
	$(sub) BUILD=$(BUILD)/$@ CFLAGS='$(SANITIZE)' all limb8 limb32 $(TESTS:%=$(BUILD)/$@/%)

verify:
	$(sub) BUILD=$(BUILD)/$@ CPPFLAGS=-DVERIFY limb8 limb32 $(TESTS:%=$(BUILD)/$@/%)

more_builds := $(SLOW:%=$(BUILD)/%) verify asan
more_runs   := $(SLOW:%=$(BUILD)/%) $(wildcard tests/slow_*.sh) $(call again,verify) $(call again,asan) $(SHELL_TESTS)

test-more: $(more_builds)
	@tests/run $(more_runs)

test-all: all $(test_builds) $(more_builds)
	@tests/run $(test_runs) $(more_runs)

# The secret world under Valgrind, for what each compiler makes of it; Valgrind knows no AVX-512, so
# those kernels run as the model of ifma_vec.h.
CT_BUILDS = $(foreach cc,gcc clang,$(if $(shell command -v $(cc)),$(foreach o,1 2 3,$(cc)-O$(o))))

$(BUILD)/ct: $(BUILD)/obj/tests/ct.o $(BUILD)/obj/inside.a
	$(link) -Wl,--wrap=secret_random

ct:
	+@for b in $(CT_BUILDS); do d=$(BUILD)/ct/$$b; \
	    $(MAKE) --no-print-directory BUILD=$$d CC=$${b%-*} CFLAGS="-gdwarf-4 -$${b#*-}" CPPFLAGS='-DTAHR_CT -DTAHR_IFMA_MODEL' $$d/ct || exit 1; done
	@command -v clang >/dev/null || echo "ct: clang is not installed, its three builds are skipped"
	@tests/run $(CT_BUILDS:%=$(BUILD)/ct/%/ct)

lint: all
	@BUILD=$(BUILD) tests/lint

# --- What else one may want ---

$(BUILD)/bench: $(call obj,tests/bench*.c) $(TEST_LINK)
	$(link) $(TEST_LIBS) -lm

bench: $(BUILD)/bench $(APPS)
	@$(BUILD)/bench

$(BUILD)/make_vectors: $(BUILD)/obj/vectors/make_vectors.o
	$(link) -lcrypto

vectors: $(BUILD)/make_vectors
	@$(BUILD)/make_vectors vectors

# OpenSSL's own, which test_vectors then runs too.
vectors-openssl:
	@vectors/openssl.sh vectors/openssl

objects: $(LIB_OBJ) $(CLI_OBJ) $(call obj,apps/*.c) $(TEST_OBJ)

# --- Installing ---

VERSION = $(shell sed -n 's/^\#define TAHR_VERSION "\(.*\)"/\1/p' crypto/tahr.h)

TO      := $(DESTDIR)$(PREFIX)
SHARE   := $(TO)/share
FOLDERS := $(TO)/bin $(TO)/include/tahr $(TO)/lib/pkgconfig $(addprefix $(SHARE)/,man/man1 man/man3 man/man5 \
	bash-completion/completions zsh/site-functions fish/vendor_completions.d)
fill     = sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|'

install: all
	install -d $(FOLDERS)
	install $(filter-out %/age-plugin-tahr,$(APPS)) $(TO)/bin
	ln -sf tahr $(TO)/bin/age-plugin-tahr
	install -m 644 crypto/tahr.h $(addprefix bignum/,mp.h tommath.h bn.h) $(TO)/include/tahr
	install -m 644 $(BUILD)/libtahr.a $(TO)/lib
	install $(BUILD)/$(SO) $(TO)/lib
	ln -sf $(SO) $(TO)/lib/libtahr.so
	$(fill) crypto/tahr.pc >$(TO)/lib/pkgconfig/tahr.pc
	$(fill) bignum/tahr-tommath.pc >$(TO)/lib/pkgconfig/tahr-tommath.pc
	install -m 644 apps/*.1 $(SHARE)/man/man1
	install -m 644 crypto/*.3 $(SHARE)/man/man3
	install -m 644 apps/*.5 $(SHARE)/man/man5
	install -m 644 apps/completions/tahr.bash $(SHARE)/bash-completion/completions/tahr
	ln -sf tahr $(SHARE)/bash-completion/completions/tahr-key
	install -m 644 apps/completions/_tahr $(SHARE)/zsh/site-functions
	install -m 644 apps/completions/*.fish $(SHARE)/fish/vendor_completions.d

clean:
	rm -rf $(BUILD)

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(call obj,apps/*.c) $(TEST_OBJ))
