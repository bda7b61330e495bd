/* The table of recipient types, and the errors they share. */
#include "recipient.h"

const struct recipient_type *const recipient_types[] = {&recipient_rsa, &recipient_elgamal,
                                                        &recipient_x25519, &recipient_scrypt, NULL};

const struct recipient_type *recipient_for(const tahr_key *key)
{
    const struct recipient_type *const *type = recipient_types;

    while ((*type)->key_type != key->type)
        type++;
    return *type;
}

const struct tahr_error recipient_no_match = {TAHR_NO_MATCH, "no identity opens this message",
                                              "it is encrypted to other keys than those given"};
const struct tahr_error recipient_malformed = {
    TAHR_BAD_MESSAGE, "malformed header: a stanza is out of shape for its type", NULL};
const struct tahr_error recipient_corrupt = {TAHR_BAD_MESSAGE,
                                             "the header's stanza for this key is corrupt", NULL};
