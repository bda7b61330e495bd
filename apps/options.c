/* Options, from a table: the conventions of getopt_long, and age's -o=FILE. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

long parse_number(const char *text, long min, long max, const char *what)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || n < min || n > max)
        fail(TAHR_BAD_CALL, NULL, "%s is not %s", text, what);
    return n;
}

static const struct option *by_letter(const struct option *table, int letter)
{
    for (; table->letter != 0; table++)
        if (table->letter == letter)
            return table;
    return NULL;
}

/* The row whose word is the len characters of word. */
static const struct option *by_word(const struct option *table, const char *word, size_t len)
{
    for (; table->letter != 0; table++)
        if (strlen(table->word) == len && memcmp(table->word, word, len) == 0)
            return table;
    return NULL;
}

static const char *following(struct args *args, const char *option)
{
    if (args->next >= args->argc)
        fail(TAHR_BAD_CALL, "--help lists the options", "option %s needs a value", option);
    return args->argv[args->next++];
}

static const char *not_empty(const char *value)
{
    if (*value == '\0')
        fail(TAHR_BAD_CALL, "perhaps a variable of the shell is not set", "an argument is empty");
    return value;
}

static int next_word(struct args *args, const struct option *table, const char *argument)
{
    const char *word = argument + 2;
    size_t len = strcspn(word, "=");
    const struct option *option = by_word(table, word, len);

    if (option == NULL)
        fail(TAHR_BAD_CALL, "--help lists the options", "unknown option --%.*s", (int)len, word);
    if (!option->takes_value && word[len] == '=')
        fail(TAHR_BAD_CALL, NULL, "option --%s takes no value", option->word);
    args->value = NULL;
    if (option->takes_value)
        args->value = not_empty(word[len] == '=' ? word + len + 1 : following(args, argument));
    return option->letter;
}

static int next_letter(struct args *args, const struct option *table)
{
    char name[] = {'-', *args->cluster, '\0'};
    const struct option *option = by_letter(table, *args->cluster);

    if (option == NULL)
        fail(TAHR_BAD_CALL, "--help lists the options", "unknown option %s", name);
    args->cluster++;
    args->value = NULL;
    if (option->takes_value) {
        const char *rest = args->cluster;
        args->cluster = NULL;
        args->value = not_empty(*rest == '\0' ? following(args, name) : rest + (*rest == '='));
    }
    return option->letter;
}

int args_next(struct args *args, const struct option *table)
{
    const char *argument;

    if (args->cluster != NULL && *args->cluster != '\0')
        return next_letter(args, table);
    if (args->next >= args->argc)
        return ARGS_END;
    argument = args->argv[args->next++];
    if (!args->operands_only && strcmp(argument, "--") == 0) {
        args->operands_only = 1;
        return args_next(args, table);
    }
    if (args->operands_only || argument[0] != '-' || argument[1] == '\0') {
        args->value = not_empty(argument);
        return ARGS_OPERAND;
    }
    if (argument[1] == '-')
        return next_word(args, table, argument);
    args->cluster = argument + 1;
    return next_letter(args, table);
}
