/* An election in a few lines: votes of 0 and 1, encrypted, multiplied, and only their sum
 * decrypted.
 *
 *     cc tally.c $(pkg-config --cflags --libs tahr) -o tally
 *     tally 1 0 1 1                 says 3 */
#include <tahr/tahr.h>

#include <stdio.h>
#include <stdlib.h>

#define LEN 256 /* of an element of ffdhe2048 */

int main(int argc, char **argv)
{
    unsigned char x[LEN], y[LEN], sum[2 * LEN], vote[2 * LEN];
    tahr_group *group = NULL;
    uint64_t result = 0;
    tahr_err error = tahr_init();

    if (error == NULL)
        error = tahr_group_named(&group, "ffdhe2048");
    if (error == NULL)
        error = tahr_elgamal_new(x, y, group);
    if (error == NULL)
        error = tahr_elgamal_encrypt_exponent(sum, 0, y, group);
    for (int i = 1; i < argc && error == NULL; i++) {
        error = tahr_elgamal_encrypt_exponent(vote, atoi(argv[i]) != 0, y, group);
        if (error == NULL)
            error = tahr_elgamal_multiply(sum, sum, vote, group);
    }
    if (error == NULL)
        error = tahr_elgamal_decrypt_exponent(&result, sum, x, (uint64_t)argc, group);
    tahr_group_free(group);
    if (error != NULL) {
        fprintf(stderr, "tally: %s\n", error->text);
        return (int)error->code;
    }
    printf("%llu\n", (unsigned long long)result);
    return 0;
}
