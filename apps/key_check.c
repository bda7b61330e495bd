/* tahr-key check: what is wrong with keys, for people and for programs. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define PLACE_ROOM 1024
#define SHARED     "rsa-shared-prime"

/* The keys of all the files: those of file i are the ones before end[i] and not of a file before.
 */
struct check {
    tahr_audit *audit;
    const char *const *names;
    size_t *end;
    int code; /* to exit with */
    struct output out;
};

static void must(tahr_err error)
{
    if (error != NULL)
        fail(error->code, error->hint, "%s", error->text);
}

static int tick(void *context, unsigned long done)
{
    (void)context;
    progress_count(done, "steps done");
    return 0; /* a signal ends the program by itself */
}

/* A file of keys under a passphrase; that may be wrong. */
static void add_locked(struct check *check, const char *name, const void *data, size_t len)
{
    tahr_key *passphrase = passphrase_key(name);
    tahr_err error = tahr_audit_unlock(check->audit, data, len, passphrase);

    tahr_key_free(passphrase);
    if (error == NULL)
        return;
    if (error->code == TAHR_SYSTEM)
        fail_error(error, name);
    report("error", "%s: %s", name, error->text);
    if (error->hint != NULL)
        report("hint", "%s", error->hint);
    if (check->code < (int)error->code)
        check->code = (int)error->code;
}

/* A file that cannot be opened does not hide the others. */
static void add_file(struct check *check, size_t file)
{
    size_t len, first = tahr_audit_count(check->audit);
    struct input in;
    unsigned char *data;
    int error = input_try_open(&in, check->names[file]), locked;

    check->end[file] = first;
    if (error != 0) {
        report("error", "cannot open %s: %s", in.name, strerror(error));
        if (check->code < TAHR_SYSTEM)
            check->code = TAHR_SYSTEM;
        return;
    }
    data = input_read_keys(&in, &len);
    locked = tahr_keys_locked(data, len);
    if (locked)
        add_locked(check, in.name, data, len);
    else
        must(tahr_audit_add(check->audit, data, len));
    wipe(data, len);
    free(data);
    check->end[file] = tahr_audit_count(check->audit);
    for (size_t i = first; i < check->end[file] && !locked; i++)
        if (tahr_audit_result(check->audit, i)->is_private) {
            input_warn_if_exposed(&in);
            break;
        }
    input_close(&in);
}

static size_t file_of(const struct check *check, size_t i)
{
    size_t file = 0;

    while (i >= check->end[file])
        file++;
    return file;
}

/* --- For people --- */

/* place = "FILE", and the line if there are several keys in the file. */
static void name_place(char *place, size_t max, const struct check *check, size_t i)
{
    size_t line = tahr_audit_result(check->audit, i)->line;
    size_t file = file_of(check, i), first = file > 0 ? check->end[file - 1] : 0;

    if (check->end[file] - first > 1)
        snprintf(place, max, "%s, line %zu", check->names[file], line);
    else
        snprintf(place, max, "%s", check->names[file]);
}

/* What else is to be said of the finding: the group, or the other key. */
static void name_detail(char *detail, size_t max, const struct check *check, size_t i,
                        const struct tahr_finding *finding)
{
    const struct tahr_checked *key = tahr_audit_result(check->audit, i);
    char place[PLACE_ROOM];

    detail[0] = '\0';
    if (strcmp(finding->name, SHARED) == 0) {
        name_place(place, sizeof place, check, key->partner);
        snprintf(detail, max, " (%s)", place);
    } else if (key->group != NULL) {
        snprintf(detail, max, " (%s)", key->group);
    }
}

static void print_key(struct check *check, size_t i)
{
    const struct tahr_checked *key = tahr_audit_result(check->audit, i);
    char place[PLACE_ROOM], detail[PLACE_ROOM + 4];

    name_place(place, sizeof place, check, i);
    if (key->count == 0)
        output_line(&check->out, "%s: good", place);
    for (size_t k = 0; k < key->count; k++) {
        const struct tahr_finding *finding = key->finding[k];
        name_detail(detail, sizeof detail, check, i, finding);
        output_line(&check->out, "%s: %s: %s%s%s%s", place, finding->name, finding->text, detail,
                    finding->hint != NULL ? "; " : "", finding->hint != NULL ? finding->hint : "");
    }
}

/* --- For programs --- */

static void print_json_finding(struct check *check, const struct tahr_checked *key,
                               const struct tahr_finding *finding)
{
    output_format(&check->out, "{\"name\": ");
    output_json_string(&check->out, finding->name);
    output_format(&check->out, ", \"text\": ");
    output_json_string(&check->out, finding->text);
    if (finding->hint != NULL) {
        output_format(&check->out, ", \"hint\": ");
        output_json_string(&check->out, finding->hint);
    }
    if (strcmp(finding->name, SHARED) == 0) {
        output_format(&check->out, ", \"with\": {\"file\": ");
        output_json_string(&check->out, check->names[file_of(check, key->partner)]);
        output_format(&check->out, ", \"line\": %zu}",
                      tahr_audit_result(check->audit, key->partner)->line);
    }
    output_format(&check->out, "}");
}

static const char *const types[] = {
    [TAHR_RSA] = "RSA", [TAHR_ELGAMAL] = "ElGamal", [TAHR_X25519] = "X25519"};

/* {"file", "line", and unless it is unreadable "type", "private", "bits", and "group" if it is
 * known; "good", "findings": [{"name", "text", "hint", "with": {"file", "line"}}]} */
static void print_json_key(struct check *check, size_t i)
{
    const struct tahr_checked *key = tahr_audit_result(check->audit, i);
    struct output *out = &check->out;

    output_format(out, "{\"file\": ");
    output_json_string(out, check->names[file_of(check, i)]);
    output_format(out, ", \"line\": %zu", key->line);
    if (key->type != 0)
        output_format(out, ", \"type\": \"%s\", \"private\": %s, \"bits\": %d", types[key->type],
                      key->is_private ? "true" : "false", key->bits);
    if (key->group != NULL)
        output_format(out, ", \"group\": \"%s\"", key->group);
    output_format(out, ", \"good\": %s, \"findings\": [", key->count == 0 ? "true" : "false");
    for (size_t k = 0; k < key->count; k++) {
        output_format(out, "%s", k > 0 ? ", " : "");
        print_json_finding(check, key, key->finding[k]);
    }
    output_format(out, "]}");
}

static void print_all(struct check *check, int json)
{
    size_t count = tahr_audit_count(check->audit);

    output_open(&check->out, NULL, 0);
    if (json)
        output_format(&check->out, "[");
    for (size_t i = 0; i < count; i++) {
        if (!json) {
            print_key(check, i);
            continue;
        }
        output_format(&check->out, "%s", i > 0 ? ",\n " : "");
        print_json_key(check, i);
    }
    if (json)
        output_format(&check->out, "]\n");
    output_commit(&check->out);
}

static size_t count_bad(const struct check *check)
{
    size_t bad = 0;

    for (size_t i = 0; i < tahr_audit_count(check->audit); i++)
        bad += tahr_audit_result(check->audit, i)->count > 0;
    return bad;
}

int check_files(const char *const *names, size_t count, int batch_gcd, int json)
{
    const struct tahr_watch watch = {tick, NULL};
    struct check check = {.names = names, .end = allocate(count * sizeof *check.end)};
    size_t bad;

    must(tahr_audit_new(&check.audit));
    progress_count(0, "steps done");
    for (size_t file = 0; file < count; file++)
        add_file(&check, file);
    must(tahr_audit_run(check.audit, batch_gcd, &watch));
    progress_end();
    print_all(&check, json);
    bad = count_bad(&check);
    if (bad > 0) {
        report("error", "of %zu keys %zu did not pass", tahr_audit_count(check.audit), bad);
        check.code = TAHR_BAD_KEY; /* the greater of the two */
    }
    tahr_audit_free(check.audit);
    free(check.end);
    return check.code;
}
