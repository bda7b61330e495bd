/* The table of engines and the choice among them. */
#include "engine.h"

#include <string.h>

const struct engine *const engines[] = {
    &engine_ifma, &engine_adx, &engine_mont, &engine_redc, &engine_barrett, &engine_hardy, NULL,
};

const struct engine *engine_find(const char *name, int bits, int odd)
{
    for (int i = 0; engines[i]; i++)
        if ((!name || strcmp(engines[i]->name, name) == 0) && engines[i]->usable(bits, odd))
            return engines[i];
    return NULL;
}

void engine_add(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    nat_add_mod(r->d, a->d, b->d, m->m, m->n);
}

void engine_sub(elem *r, const elem *a, const elem *b, const struct mod *m)
{
    nat_sub_mod(r->d, a->d, b->d, m->m, m->n);
}

void engine_enter_plain(elem *r, const limb_t *a, const struct mod *m)
{
    nat_copy(r->d, a, m->n);
}

void engine_leave_plain(limb_t *r, const elem *a, const struct mod *m)
{
    nat_copy(r, a->d, m->n);
}
