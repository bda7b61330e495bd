/* What --inspect prints. */
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT_SHOWN 24 /* characters of a long one */
#define PAGE           65536

/* What is printed, a page at a time: a header may have a million things to say. */
struct page {
    struct output out;
    size_t len;
    char text[PAGE];
};

static void flush(struct page *page)
{
    if (output_write(&page->out, page->text, page->len) != 0)
        fail_errno(page->out.error, "write", page->out.name);
    page->len = 0;
}

static void put_char(struct page *page, char c)
{
    if (page->len == PAGE)
        flush(page);
    page->text[page->len++] = c;
}

__attribute__((format(printf, 2, 3))) static void put(struct page *page, const char *format, ...)
{
    char text[LINE_ROOM];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (const char *c = text; *c != '\0'; c++)
        put_char(page, *c);
}

static struct page *open_page(void)
{
    struct page *page = allocate(sizeof *page);

    output_open(&page->out, NULL, 0);
    page->len = 0;
    return page;
}

static void close_page(struct page *page)
{
    flush(page);
    output_commit(&page->out);
    free(page);
}

/* The type, the arguments as far as they are not too long, and who opens it. */
static void put_stanza(struct page *page, const struct tahr_stanza_report *stanza,
                       identity_namer *identity, void *context)
{
    char name[LINE_ROOM];

    put(page, "  ->");
    for (size_t i = 0; i < stanza->args; i++)
        put(page, " %.*s%s", ARGUMENT_SHOWN, stanza->arg[i],
            strlen(stanza->arg[i]) > ARGUMENT_SHOWN ? "..." : "");
    if (stanza->match != TAHR_NO_IDENTITY) {
        format_line(name, "%s", identity(context, stanza->match));
        put(page, " (opened by %s)", name);
    }
    put(page, "\n");
}

void print_report(const struct tahr_report *report, identity_namer *identity, void *context)
{
    struct page *page = open_page();

    put(page, "format:    age-encryption.org/v1%s\n", report->armored ? ", armored" : "");
    put(page, "header:    %" PRIu64 " bytes, %zu stanza%s\n", report->header_len, report->count,
        report->count == 1 ? "" : "s");
    for (size_t i = 0; i < report->count; i++)
        put_stanza(page, &report->stanza[i], identity, context);
    put(page, "payload:   %" PRIu64 " bytes\n", report->payload_len);
    put(page, "plaintext: %" PRIu64 " bytes\n", report->plain_len);
    close_page(page);
}

/* A string of RFC 8259: quotes, backslashes and control bytes are escaped. */
static void put_string(struct page *page, const char *text)
{
    put_char(page, '"');
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            put(page, "\\u%04x", (unsigned)*text);
            continue;
        }
        if (*text == '"' || *text == '\\')
            put_char(page, '\\');
        put_char(page, *text);
    }
    put_char(page, '"');
}

static void put_json_stanza(struct page *page, const struct tahr_stanza_report *stanza,
                            identity_namer *identity, void *context)
{
    put(page, "    {\"type\": ");
    put_string(page, stanza->arg[0]);
    put(page, ", \"arguments\": [");
    for (size_t i = 1; i < stanza->args; i++) {
        put(page, "%s", i > 1 ? ", " : "");
        put_string(page, stanza->arg[i]);
    }
    put(page, "], \"body_bytes\": %zu, \"identity\": ", stanza->body_len);
    if (stanza->match != TAHR_NO_IDENTITY)
        put_string(page, identity(context, stanza->match));
    else
        put(page, "null");
    put(page, "}");
}

void print_json(const struct tahr_report *report, identity_namer *identity, void *context)
{
    struct page *page = open_page();

    put(page, "{\n  \"version\": \"age-encryption.org/v1\",\n  \"armored\": %s,\n",
        report->armored ? "true" : "false");
    put(page, "  \"header_bytes\": %" PRIu64 ",\n  \"payload_bytes\": %" PRIu64 ",\n",
        report->header_len, report->payload_len);
    put(page, "  \"plaintext_bytes\": %" PRIu64 ",\n  \"stanzas\": [\n", report->plain_len);
    for (size_t i = 0; i < report->count; i++) {
        put_json_stanza(page, &report->stanza[i], identity, context);
        put(page, "%s\n", i + 1 < report->count ? "," : "");
    }
    put(page, "  ]\n}\n");
    close_page(page);
}
