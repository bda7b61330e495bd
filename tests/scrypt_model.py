#!/usr/bin/env python3
"""Encrypts standard input with a passphrase, as an age file of any work factor.

    scrypt_model.py PASSPHRASE LOG_N

Written from the age specification, for tests that have no second to spend on 2^18.
"""
import hashlib
import secrets
import sys

import elgamal_model as model


def main(passphrase, log_n):
    file_key, salt, nonce = (secrets.token_bytes(16) for _ in range(3))
    wrap = hashlib.scrypt(passphrase.encode(), salt=b"age-encryption.org/v1/scrypt" + salt,
                          n=2**int(log_n), r=8, p=1, maxmem=2**30, dklen=32)
    stanza = b"-> scrypt %s %s\n%s\n" % (model.base64_text(salt), log_n.encode(),
                                        model.base64_text(model.seal(wrap, bytes(12), file_key)))
    header = model.VERSION + stanza + b"---"
    sys.stdout.buffer.write(header + b" " + model.header_mac(file_key, header) + b"\n" + nonce +
                            model.seal(model.hkdf(file_key, nonce, b"payload"),
                                       model.chunk_nonce(0, True), sys.stdin.buffer.read()))


main(*sys.argv[1:])
