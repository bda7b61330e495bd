/* Reads files of test vectors: stanzas of "name = value" lines. */
#include "stanzas.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int stanzas_open(struct stanzas *s, const char *path)
{
    memset(s, 0, sizeof *s);
    s->file = fopen(path, "r");
    return s->file ? 0 : -1;
}

static void forget(struct stanzas *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->field[i].name);
        free(s->field[i].value);
    }
    s->count = 0;
}

void stanzas_close(struct stanzas *s)
{
    forget(s);
    fclose(s->file);
}

/* A copy of what stands between p and end, without the white space around it. */
static char *trimmed(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    while (p < end && isspace((unsigned char)end[-1]))
        end--;
    return strndup(p, (size_t)(end - p));
}

static int add_field(struct stanzas *s, const char *line)
{
    const char *eq = strchr(line, '=');
    if (!eq || s->count == STANZA_FIELDS)
        return -1;
    if (s->count == 0)
        s->first = s->line;
    s->field[s->count].name = trimmed(line, eq);
    s->field[s->count].value = trimmed(eq + 1, eq + strlen(eq));
    s->count++;
    return 0;
}

/* Appends a line of a PEM block to the last value. */
static int add_text(struct stanzas *s, const char *line)
{
    if (s->count == 0)
        return -1;
    char **value = &s->field[s->count - 1].value;
    char *longer = realloc(*value, strlen(*value) + strlen(line) + 2);
    if (!longer)
        return -1;
    if (*longer)
        strcat(longer, "\n");
    *value = strcat(longer, line);
    return 0;
}

int stanzas_next(struct stanzas *s)
{
    char *line = NULL;
    size_t size = 0;
    int err = 0, pem = 0;

    forget(s);
    while (!err && getline(&line, &size, s->file) >= 0) {
        s->line++;
        line[strcspn(line, "\r\n")] = 0;
        if (strncmp(line, "-----BEGIN", 10) == 0)
            pem = 1;
        if (pem)
            err = add_text(s, line);
        else if (line[0] == 0 && s->count > 0)
            break;
        else if (line[0] != 0 && line[0] != '#')
            err = add_field(s, line);
        if (strncmp(line, "-----END", 8) == 0)
            pem = 0;
    }
    free(line);
    return err ? err : s->count > 0;
}

const char *stanzas_get(const struct stanzas *s, const char *name)
{
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->field[i].name, name) == 0)
            return s->field[i].value;
    return NULL;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *p = strchr(digits, tolower((unsigned char)c));
    return c && p ? (int)(p - digits) : -1;
}

long value_bytes(uint8_t *out, size_t max, const char *value)
{
    size_t n = strlen(value);
    if (n >= 2 && n - 2 <= max && value[0] == '"' && value[n - 1] == '"') {
        memcpy(out, value + 1, n - 2);
        return (long)n - 2;
    }
    if (n % 2 || n / 2 > max)
        return -1;
    for (size_t i = 0; i < n / 2; i++) {
        int high = digit(value[2 * i]), low = digit(value[2 * i + 1]);
        if (high < 0 || low < 0)
            return -1;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return (long)(n / 2);
}
