/* The age test kit (C2SP/CCTV), read in place: for each file the class of the outcome, the SHA-256
 * of what a streaming reader releases, and header and armor written again byte for byte.
 *
 * Every file is tried thrice.  With the identities it names; a hybrid one is not read, and then
 * with its file key, unless its outcome hangs on the identity.  With its file key, if it has one
 * and the outcome does not hang on a stanza.  Then with a key that no file is for: well-formed ones
 * have no match. */
#include "inflate.h"
#include "memory_io.h"
#include "message.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#define FOLDER   "../shared/vectors/age"
#define AGE_MAX  ((size_t)32 << 20)
#define KEYS_MAX 8

struct kit {
    char name[256], expect[32], payload[65];
    uint8_t file_key[64];
    size_t file_key_len;
    int armored, compressed, hybrid;
    tahr_key *key[KEYS_MAX];
    size_t key_count;
    uint8_t *age; /* the age file */
    size_t len;
};

static int tried, skipped;

static void read_hex(uint8_t *out, size_t *len, const char *hex)
{
    for (*len = 0; hex[0] != '\0' && hex[1] != '\0'; hex += 2)
        assert_int_equal(sscanf(hex, "%2hhx", &out[(*len)++]), 1);
}

static tahr_key **next_key(struct kit *kit)
{
    assert_true(kit->key_count < KEYS_MAX);
    return &kit->key[kit->key_count++];
}

/* A hybrid identity is refused as such. */
static void read_identity(struct kit *kit, const char *text)
{
    struct tahr_keys keys;
    tahr_err err = tahr_keys_read(&keys, text, strlen(text), NULL);

    if (strncmp(text, "AGE-SECRET-KEY-PQ-", 18) == 0) {
        assert_non_null(err);
        assert_int_equal(err->code, TAHR_BAD_KEY);
        assert_non_null(strstr(err->text, "post-quantum"));
        kit->hybrid = 1;
        return;
    }
    assert_null(err);
    assert_int_equal(keys.count, 1);
    *next_key(kit) = keys.key[0];
    free(keys.key);
}

static void read_field(struct kit *kit, char *line)
{
    char *value = strstr(line, ": ");

    assert_non_null(value);
    *value = '\0';
    value += 2;
    if (strcmp(line, "expect") == 0 && strlen(value) < sizeof kit->expect)
        strcpy(kit->expect, value);
    else if (strcmp(line, "payload") == 0 && strlen(value) == 64)
        strcpy(kit->payload, value);
    else if (strcmp(line, "file key") == 0 && strlen(value) <= 2 * sizeof kit->file_key)
        read_hex(kit->file_key, &kit->file_key_len, value);
    else if (strcmp(line, "armored") == 0 && strcmp(value, "yes") == 0)
        kit->armored = 1;
    else if (strcmp(line, "compressed") == 0 && strcmp(value, "zlib") == 0)
        kit->compressed = 1;
    else if (strcmp(line, "identity") == 0)
        read_identity(kit, value);
    else if (strcmp(line, "passphrase") == 0)
        assert_null(tahr_key_new_passphrase(next_key(kit), value, strlen(value)));
    else if (strcmp(line, "comment") != 0)
        fail_msg("%s: unknown field %s: %s", kit->name, line, value);
}

static void read_kit(struct kit *kit, const char *name)
{
    char path[512], line[4096];
    long n;
    FILE *f;

    memset(kit, 0, sizeof *kit);
    snprintf(kit->name, sizeof kit->name, "%s", name);
    snprintf(path, sizeof path, FOLDER "/%s", name);
    f = fopen(path, "rb");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL && line[0] != '\n') {
        line[strcspn(line, "\n")] = '\0';
        read_field(kit, line);
    }
    kit->age = malloc(AGE_MAX);
    assert_non_null(kit->age);
    kit->len = fread(kit->age, 1, AGE_MAX, f);
    fclose(f);
    if (kit->compressed) {
        uint8_t *plain = malloc(AGE_MAX);

        n = inflate_zlib(plain, AGE_MAX, kit->age, kit->len);
        assert_true(n >= 0);
        free(kit->age);
        kit->age = plain;
        kit->len = (size_t)n;
    }
}

/* The kit's word for an outcome.  A file that should be armored and is no age file at all has bad
 * armor; to us, who are not told that it is armored, it has neither. */
static const char *class_of(tahr_err err, const struct kit *kit)
{
    if (err == NULL)
        return "success";
    if (err->code == TAHR_NO_MATCH)
        return "no match";
    if (err->code != TAHR_BAD_MESSAGE)
        return err->text;
    if (strstr(err->text, "malformed armor") != NULL)
        return "armor failure";
    if (strstr(err->text, "MAC is wrong") != NULL)
        return "HMAC failure";
    if (strstr(err->text, "not an age file") != NULL)
        return kit->armored && strstr(err->text, "empty") == NULL ? "armor failure"
                                                                  : "header failure";
    return strstr(err->text, "malformed header") != NULL ? "header failure" : "payload failure";
}

static void check_class(tahr_err err, const struct kit *kit, const char *expect)
{
    const char *class = class_of(err, kit);

    if (strcmp(class, expect) != 0)
        fail_msg("%s: expected %s, found %s (%s)", kit->name, expect, class,
                 err == NULL ? "no error" : err->text);
}

static void check_payload(const struct memory *m, const struct kit *kit)
{
    uint8_t sum[32], want[32];
    size_t len;

    if (kit->payload[0] == '\0') {
        assert_int_equal(m->out_len, 0);
        return;
    }
    read_hex(want, &len, kit->payload);
    EVP_Digest(m->out, m->out_len, sum, NULL, EVP_sha256(), NULL);
    if (memcmp(sum, want, 32) != 0)
        fail_msg("%s: the released plaintext differs", kit->name);
}

/* The header written again from its stanzas. */
static void check_header(const struct kit *kit, const struct header *h)
{
    static struct header again;

    header_init(&again);
    for (size_t i = 0; i < h->count; i++)
        assert_null(header_add(&again, &h->stanza[i]));
    header_finish(&again, kit->file_key);
    assert_int_equal(again.len, h->len);
    assert_memory_equal(again.text, h->text, h->len);
}

/* The armor written again from what is in it.  Of what may differ, CRLF and the white space around,
 * the text is freed first. */
static void check_armor(const struct kit *kit)
{
    static struct lookahead text;
    static struct armor_encoder encoder;
    static uint8_t data[AGE_MAX];
    struct memory in = memory_of(kit->age, kit->len), out = memory_of(NULL, 0);
    struct tahr_io in_io = memory_io(&in), out_io = memory_io(&out);
    struct io_source source;
    struct io_sink sink;
    struct armor_decoder decoder;
    char *plain = calloc(kit->len + 2, 1), *begin;
    size_t len, n = 0;

    io_source_init(&source, &in_io);
    lookahead_init(&text, &source.source);
    armor_decoder_init(&decoder, &text);
    assert_null(source_fill(&decoder.source, data, sizeof data, &len));
    io_sink_init(&sink, &out_io);
    armor_encoder_init(&encoder, &sink.sink);
    assert_null(encoder.sink.write(&encoder.sink, data, len));
    assert_null(armor_encoder_finish(&encoder));

    for (size_t i = 0; i < kit->len; i++)
        if (kit->age[i] != '\r')
            plain[n++] = (char)kit->age[i];
    begin = strchr(plain, '-');
    assert_non_null(begin);
    strcpy(strrchr(plain, '-') + 1, "\n");
    assert_int_equal(out.out_len, strlen(begin));
    assert_memory_equal(out.out, begin, out.out_len);
    free(plain);
    memory_free(&out);
}

static void try_file_key(const struct kit *kit)
{
    struct memory m = memory_of(kit->age, kit->len);
    struct tahr_io io = memory_io(&m);
    struct message *message = NULL;
    tahr_err err = message_open(&message, &io);

    if (err == NULL)
        err = message_decrypt(message, kit->file_key);
    check_class(err, kit, kit->expect);
    check_payload(&m, kit);
    if (err == NULL) {
        check_header(kit, &message->header);
        if (kit->armored)
            check_armor(kit);
    }
    message_free(message);
    memory_free(&m);
}

/* With the identities that the file names. */
static void try_identities(const struct kit *kit)
{
    struct memory m = memory_of(kit->age, kit->len);
    struct tahr_io io = memory_io(&m);

    check_class(tahr_decrypt(&io, (const tahr_key *const *)kit->key, kit->key_count), kit,
                kit->expect);
    check_payload(&m, kit);
    memory_free(&m);
}

static int starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Does the outcome hang on a stanza of the recipient? */
static int needs_identity(const struct kit *kit)
{
    int theirs = starts_with(kit->name, "x25519") || starts_with(kit->name, "scrypt") ||
                 starts_with(kit->name, "hybrid") || starts_with(kit->name, "p256tag") ||
                 starts_with(kit->name, "mlkem");

    return kit->file_key_len != FILE_KEY_LEN || strcmp(kit->expect, "no match") == 0 ||
           (theirs && strcmp(kit->expect, "header failure") == 0 &&
            strstr(kit->name, "not_canonical_body") == NULL);
}

/* With keys of our types: the same failures where there is no header, otherwise no match. */
static void try_strangers(const struct kit *kit, const tahr_key *const *keys, size_t count)
{
    struct memory m = memory_of(kit->age, kit->len);
    struct tahr_io io = memory_io(&m);
    struct message *message = NULL;
    tahr_err err = message_open(&message, &io);
    const char *expect = err == NULL ? "no match" : kit->expect;

    message_free(message);
    memory_reset(&m, kit->age, kit->len);
    check_class(tahr_decrypt(&io, keys, count), kit, expect);
    assert_int_equal(m.out_len, 0);
    memory_free(&m);
}

static void test_kit(void **state)
{
    DIR *folder = opendir(FOLDER);
    struct dirent *entry;
    tahr_key *key;
    struct kit kit;

    (void)state;
    if (folder == NULL) {
        print_message("skipped: there is no folder " FOLDER "\n");
        skip();
    }
    assert_null(tahr_key_new_elgamal(&key, "ffdhe2048", NULL));
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        read_kit(&kit, entry->d_name);
        try_strangers(&kit, (const tahr_key *const *)&key, 1);
        if (!needs_identity(&kit))
            try_file_key(&kit);
        if (kit.key_count > 0)
            try_identities(&kit);
        if (needs_identity(&kit) && kit.hybrid && kit.key_count == 0)
            skipped++;
        else
            tried++;
        while (kit.key_count > 0)
            tahr_key_free(kit.key[--kit.key_count]);
        free(kit.age);
    }
    closedir(folder);
    tahr_key_free(key);
    print_message("age kit: %d passed, 0 failed, %d skipped\n", tried, skipped);
    print_message("skipped: %d kit files need a hybrid identity\n", skipped);
    assert_true(tried >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kit)};

    if (tahr_init() != NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
