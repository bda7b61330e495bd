# tahr.  make all | demo | test | test-all | ct | lint | install | clean
# BUILD, CC, CFLAGS, LIMB_BITS, PREFIX and DESTDIR may be set; nothing is configured or generated.

BUILD    ?= build
PREFIX   ?= /usr/local
CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Wconversion -Wshadow
ALL_CFLAGS = -std=c11 $(WARN) -D_POSIX_C_SOURCE=200809L -Ibignum -Icrypto \
	$(if $(LIMB_BITS),-DLIMB_BITS=$(LIMB_BITS)) -fPIC -fvisibility=hidden -MMD -MP $(CFLAGS)
LIBS     := -lsodium -pthread
TEST_LIBS := -lcmocka -lcrypto

LIB_OBJ  := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard bignum/*.c crypto/*.c))
APP_OBJ  := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard apps/*.c))
APPS     := $(if $(wildcard apps/message.c),$(BUILD)/tahr) $(if $(wildcard apps/key.c),$(BUILD)/tahr-key)

# Test programs: those of bignum/ run at every limb size, the others at the default one.
BIGNUM_TESTS := $(filter-out tests/test_mod_peer.c,$(wildcard tests/test_nat*.c tests/test_mod*.c tests/test_engine*.c tests/test_inv*.c))
CRYPTO_TESTS := $(filter-out $(BIGNUM_TESTS),$(wildcard tests/test_*.c))
TEST_HELPERS := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/test_%.c tests/bench.c tests/ct.c tests/fuzz_%.c,$(wildcard tests/*.c)))
programs = $(patsubst tests/%.c,$(BUILD)/%,$(1))

.PHONY: all objects demo test test-all ct lint install clean
.SECONDARY:
all: $(APPS) $(BUILD)/libtahr.a $(BUILD)/libtahr.so

objects: $(LIB_OBJ) $(APP_OBJ) $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/*.c))

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/libtahr.a: $(LIB_OBJ)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/libtahr.so: $(LIB_OBJ)
	$(CC) $(CFLAGS) -shared -Wl,-soname,libtahr.so.0 -o $@ $^ $(LIBS)

$(BUILD)/tahr: $(BUILD)/obj/apps/message.o $(BUILD)/obj/apps/cli.o $(BUILD)/libtahr.a
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tahr-key: $(BUILD)/obj/apps/key.o $(BUILD)/obj/apps/cli.o $(BUILD)/libtahr.a
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/test_%: $(BUILD)/obj/tests/test_%.o $(TEST_HELPERS) $(BUILD)/libtahr.a
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(TEST_LIBS)

test: all $(call programs,$(BIGNUM_TESTS) $(CRYPTO_TESTS))
	@for t in $(call programs,$(BIGNUM_TESTS) $(CRYPTO_TESTS)); do $$t || exit 1; done

lint:

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
