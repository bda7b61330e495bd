#!/usr/bin/env python3
"""Bad inputs, and a few odd ones that are good, for bad_inputs.sh.

    bad_inputs.py RSA-KEY ELGAMAL-KEY       both PKCS#8 PEM; writes into the current folder

A file for each input, and a line for each in the file `index`: kind, exit codes, file, name.
The kinds say which program reads it: private, public, check, message, and oaep, which are messages
that must all be refused in the same words.  Arithmetic and messages are elgamal_model.py's.
"""
import base64
import sys

import bad_keys
import bad_messages
import elgamal_model as model
from bad_keys import elements, integers


def read_pkcs8(name):
    with open(name, "rb") as file:
        lines = [line.strip() for line in file if not line.startswith(b"#")]
    (_, info), = elements(base64.b64decode(b"".join(lines[1:lines.index(b"-----END PRIVATE KEY-----")])))
    _, (_, algorithm), (_, octets) = elements(info)
    return algorithm, octets


def all_cases(rsa, group, x):
    public = model.Public(group, pow(group.g, x, group.p))
    ours = bad_messages.elgamal_stanza(public)
    yield from bad_keys.rsa_key_cases(rsa)
    yield from bad_keys.der_cases(rsa)
    yield from bad_keys.pem_cases(rsa)
    yield from bad_keys.elgamal_key_cases(group, x)
    yield from bad_messages.elgamal_cases(public)
    yield from bad_messages.rsa_message_cases(rsa[1], rsa[2])
    yield from bad_messages.header_cases(ours)
    yield from bad_messages.stream_cases(ours)
    yield from bad_messages.armor_cases(ours)


def main(rsa_name, elgamal_name):
    _, octets = read_pkcs8(rsa_name)
    rsa = integers(elements(octets)[0][1])
    algorithm, octets = read_pkcs8(elgamal_name)
    p = integers(elements(algorithm)[1][1])[0]
    group = next(known for known in model.NAMED if known.p == p)
    with open("index", "w") as index:
        for i, (kind, code, name, data) in enumerate(all_cases(rsa, group, integers(octets)[0])):
            with open(f"input{i}", "wb") as file:
                file.write(data)
            print(kind, code, f"input{i}", name, file=index)


if __name__ == "__main__":
    main(*sys.argv[1:])
