/* The table of engines and the choice among them. */
#include "engine.h"

#include <string.h>

const struct engine *const engines[] = {
    &engine_mont,
    NULL,
};

const struct engine *engine_find(const char *name, int bits, int odd)
{
    for (int i = 0; engines[i]; i++)
        if ((!name || strcmp(engines[i]->name, name) == 0) && engines[i]->usable(bits, odd))
            return engines[i];
    return NULL;
}
