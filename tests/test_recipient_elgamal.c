/* The tahr/elgamal stanza: published answers, and what is malformed, corrupt or somebody else's. */
#include "elgamal.h"
#include "memory_io.h"
#include "message.h"
#include "stanzas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TAG_LEN 4

/* A stanza that owns its parts, so that a test can spoil them. */
struct parts {
    uint8_t tag[TAG_LEN + 1], c1[ELGAMAL_MAX_LEN + 1], body[33];
    size_t tag_len, c1_len, len;
};

static tahr_err unwrap_text(uint8_t file_key[FILE_KEY_LEN], const struct parts *s, const char *tag,
                            const char *c1, size_t args, const tahr_key *key)
{
    const char *const arg[] = {"tahr/elgamal", tag, c1, "more"};
    return recipient_elgamal.unwrap(file_key, &(struct stanza){arg, args, s->body, s->len}, key);
}

static tahr_err unwrap(uint8_t file_key[FILE_KEY_LEN], const struct parts *s, const tahr_key *key)
{
    char tag[16], c1[ELGAMAL_MAX_LEN * 2];
    base64_encode(tag, s->tag, s->tag_len, 0);
    base64_encode(c1, s->c1, s->c1_len, 0);
    return unwrap_text(file_key, s, tag, c1, 3, key);
}

/* The only stanza of what was added to header. */
static void take_parts(struct parts *s, struct header *header)
{
    static const uint8_t no_key[FILE_KEY_LEN];
    struct lookahead *l = malloc(sizeof *l);
    struct memory m;
    struct io_source source;
    header_finish(header, no_key);
    m = memory_of(header->text, header->len);
    struct header *read = malloc(sizeof *read);
    struct tahr_io io = memory_io(&m);
    io_source_init(&source, &io);
    lookahead_init(l, &source.source);
    assert_null(header_read(read, l));
    assert_int_equal(read->count, 1);

    const struct stanza *stanza = &read->stanza[0];
    assert_int_equal(stanza->args, 3);
    assert_string_equal(stanza->arg[0], "tahr/elgamal");
    assert_int_equal(base64_decode(s->tag, sizeof s->tag, &s->tag_len, stanza->arg[1],
                                   strlen(stanza->arg[1]), 0),
                     0);
    assert_int_equal(
        base64_decode(s->c1, sizeof s->c1, &s->c1_len, stanza->arg[2], strlen(stanza->arg[2]), 0),
        0);
    assert_int_equal(stanza->len, 32);
    memcpy(s->body, stanza->body, 32);
    s->len = 32;
    free(read);
    free(l);
    memory_free(&m);
}

/* Wraps with k, or freshly if k is NULL. */
static void wrap(struct parts *s, const uint8_t file_key[FILE_KEY_LEN], const tahr_key *key,
                 const uint8_t *k)
{
    struct header *header = malloc(sizeof *header);
    header_init(header);
    if (k)
        assert_null(recipient_elgamal_wrap_with(header, file_key, key, k));
    else
        assert_null(recipient_elgamal.wrap(header, file_key, key));
    take_parts(s, header);
    free(header);
}

static void make_tag(struct parts *s, const tahr_key *key)
{
    uint8_t payload[KEY_PAYLOAD_MAX], pkh[32], tag[32];
    size_t len = key_elgamal_payload(payload, key_elgamal_public(key));
    secret_sha256(pkh, &(struct bytes){payload, len}, 1);
    const struct bytes bound[] = {{s->c1, s->c1_len}, {pkh, 32}};
    secret_hmac(tag, (struct bytes){"tahr/elgamal/v1/tag", 19}, bound, 2);
    memcpy(s->tag, tag, TAG_LEN);
    s->tag_len = TAG_LEN;
}

static tahr_key *key_of(const char *text)
{
    struct tahr_keys keys;
    assert_non_null(text);
    assert_null(tahr_keys_read(&keys, text, strlen(text), NULL));
    assert_int_equal(keys.count, 1);
    tahr_key *key = keys.key[0];
    keys.count = 0;
    tahr_keys_free(&keys);
    return key;
}

static void assert_field(const uint8_t *got, size_t len, const struct stanzas *s, const char *name)
{
    uint8_t want[ELGAMAL_MAX_LEN];
    assert_non_null(stanzas_get(s, name));
    assert_int_equal(value_bytes(want, sizeof want, stanzas_get(s, name)), len);
    assert_memory_equal(got, want, len);
}

static void published_answers(void **state)
{
    (void)state;
    struct stanzas v;
    int ran = 0, more;
    assert_int_equal(stanzas_open(&v, "vectors/elgamal.txt"), 0);
    while ((more = stanzas_next(&v)) == 1) {
        uint8_t payload[KEY_PAYLOAD_MAX], pkh[32], k[ELGAMAL_MAX_KLEN], file_key[FILE_KEY_LEN];
        struct parts s;
        tahr_key *public_key = key_of(stanzas_get(&v, "Recipient"));
        tahr_key *key = key_of(stanzas_get(&v, "Identity"));
        size_t len = key_elgamal_payload(payload, key_elgamal_public(public_key));
        secret_sha256(pkh, &(struct bytes){payload, len}, 1);
        assert_field(pkh, sizeof pkh, &v, "PKH");

        assert_true(value_bytes(k, sizeof k, stanzas_get(&v, "K")) > 0);
        assert_int_equal(value_bytes(file_key, sizeof file_key, stanzas_get(&v, "FileKey")), 16);
        wrap(&s, file_key, public_key, k);
        assert_field(s.tag, s.tag_len, &v, "Tag");
        assert_field(s.c1, s.c1_len, &v, "C1");
        assert_field(s.body, s.len, &v, "Body");

        memset(file_key, 0xa5, sizeof file_key);
        assert_null(unwrap(file_key, &s, key));
        assert_field(file_key, sizeof file_key, &v, "FileKey");
        tahr_key_free(public_key);
        tahr_key_free(key);
        ran++;
    }
    assert_int_equal(more, 0);
    stanzas_close(&v);
    assert_true(ran >= 17);
}

/* What the tests below share: two keys, and a good stanza for the first. */
static tahr_key *own, *other;
static uint8_t file_key[FILE_KEY_LEN];
static struct parts good;

static int set_up(void **state)
{
    (void)state;
    if (tahr_key_new_elgamal(&own, "ffdhe2048", NULL) ||
        tahr_key_new_elgamal(&other, "ffdhe2048", NULL))
        return -1;
    secret_random(file_key, sizeof file_key);
    wrap(&good, file_key, own, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tahr_key_free(own);
    tahr_key_free(other);
    return 0;
}

static void fresh_stanzas_open(void **state)
{
    (void)state;
    uint8_t got[FILE_KEY_LEN];
    struct parts s;
    assert_null(unwrap(got, &good, own));
    assert_memory_equal(got, file_key, FILE_KEY_LEN);
    wrap(&s, file_key, own, NULL);
    assert_memory_not_equal(s.c1, good.c1, 256); /* k is fresh */
    assert_null(unwrap(got, &s, own));
    assert_memory_equal(got, file_key, FILE_KEY_LEN);
}

static void assert_error(const struct parts *s, tahr_err want)
{
    uint8_t got[FILE_KEY_LEN];
    assert_ptr_equal(unwrap(got, s, own), want);
    assert_memory_not_equal(got, file_key, FILE_KEY_LEN);
}

static void somebody_else(void **state)
{
    (void)state;
    uint8_t got[FILE_KEY_LEN];
    assert_ptr_equal(unwrap(got, &good, other), &recipient_no_match);
    for (int i = 0; i < 8 * TAG_LEN; i++) {
        struct parts s = good;
        s.tag[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_error(&s, &recipient_no_match);
    }
    struct parts s = good;
    s.c1[100] ^= 1;
    assert_error(&s, &recipient_no_match);
}

static void malformed(void **state)
{
    (void)state;
    uint8_t got[FILE_KEY_LEN];
    struct parts s = good;
    char tag[16], c1[4 * ELGAMAL_MAX_LEN];
    base64_encode(tag, good.tag, TAG_LEN, 0);
    base64_encode(c1, good.c1, good.c1_len, 0);
    assert_null(unwrap_text(got, &good, tag, c1, 3, own));
    for (size_t args = 1; args <= 4; args++)
        if (args != 3)
            assert_ptr_equal(unwrap_text(got, &s, tag, c1, args, own), &recipient_malformed);

    for (s.len = 0; s.len <= 33; s.len++)
        if (s.len != 32)
            assert_error(&s, &recipient_malformed);
    s = good;
    for (s.tag_len = 0; s.tag_len <= 5; s.tag_len++)
        if (s.tag_len != TAG_LEN)
            assert_error(&s, &recipient_malformed);

    s = good;
    tag[5]++; /* 4 bytes leave 4 unused bits in the sixth digit, 256 bytes in the last one */
    assert_ptr_equal(unwrap_text(got, &s, tag, c1, 3, own), &recipient_malformed);
    base64_encode(tag, good.tag, TAG_LEN, 1); /* padded */
    assert_ptr_equal(unwrap_text(got, &s, tag, c1, 3, own), &recipient_malformed);
    tag[6] = 0;
    c1[strlen(c1) - 1]++;
    assert_ptr_equal(unwrap_text(got, &s, tag, c1, 3, own), &recipient_malformed);
    base64_encode(c1, good.c1, good.c1_len, 1);
    assert_ptr_equal(unwrap_text(got, &s, tag, c1, 3, own), &recipient_malformed);
    c1[7] = '-'; /* not of this alphabet */
    assert_ptr_equal(unwrap_text(got, &s, tag, c1, 3, own), &recipient_malformed);
    memset(c1, 'A', sizeof c1);
    c1[sizeof c1 - 4] = 0; /* longer than anything could need */
    assert_ptr_equal(unwrap_text(got, &s, tag, c1, 3, own), &recipient_malformed);
}

/* c1 = the natural a, with the tag that makes it ours. */
static void assert_corrupt_c1(const limb_t *a, int n, size_t len)
{
    struct parts s = good;
    nat_to_bytes(s.c1, len, a, n);
    s.c1_len = len;
    make_tag(&s, own);
    assert_error(&s, &recipient_corrupt);
}

static void corrupt_c1(void **state)
{
    (void)state;
    const struct mod *p = &key_elgamal_public(own)->group.p;
    int n = p->n;
    limb_t a[NAT_MAX], b[NAT_MAX];
    for (limb_t i = 0; i < 3; i++) {
        nat_set(a, n, i); /* 0, 1, and the element 2, which is not this c1 */
        assert_corrupt_c1(a, n, 256);
        nat_sub_limb(a, p->m, i, n); /* p, p - 1, p - 2 */
        assert_corrupt_c1(a, n, 256);
    }
    nat_add_limb(a, p->m, 1, n); /* p + 1 */
    assert_corrupt_c1(a, n, 256);
    memset(a, 0xff, sizeof a); /* 2^(8 len) - 1 */
    assert_corrupt_c1(a, n, 256);
    nat_from_bytes(a, n, good.c1, 256);
    nat_sub(b, p->m, a, n); /* -c1 */
    assert_corrupt_c1(b, n, 256);
    assert_corrupt_c1(a, n, 255);
    assert_corrupt_c1(a, n, 257);
    assert_corrupt_c1(a, n, 0);
    nat_zero(b, n + 1);
    nat_copy(b, a, n);
    nat_add_limb(b + n, b + n, 1, 1); /* c1 + B^n */
    assert_corrupt_c1(b, n + 1, 257);
}

static void corrupt_body(void **state)
{
    (void)state;
    for (int i = 0; i < 32; i++) {
        struct parts s = good;
        s.body[i] ^= (uint8_t)(1 << i % 8);
        assert_error(&s, &recipient_corrupt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_answers), cmocka_unit_test(fresh_stanzas_open),
        cmocka_unit_test(somebody_else),     cmocka_unit_test(malformed),
        cmocka_unit_test(corrupt_c1),        cmocka_unit_test(corrupt_body),
    };
    if (secret_init())
        return 1;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
