"""Keys that must be refused, and a few odd ones that are good: cases (kind, codes, name, bytes).

RSA and ElGamal keys whose numbers are wrong, DER and PEM that is wrong; see bad_inputs.py.
"""
import base64
import math
import secrets
import struct

import elgamal_model as model

# --- DER and PEM ---


def length_octets(length):
    if length < 128:
        return bytes([length])
    octets = model.minimal(length)
    return bytes([128 | len(octets)]) + octets


def der(tag, content):
    return bytes([tag]) + length_octets(len(content)) + content


def integer(number):
    return der(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


def sequence(*parts):
    return der(0x30, b"".join(part if isinstance(part, bytes) else integer(part) for part in parts))


def elements(data):
    """The (tag, content) pairs that follow one another in good DER."""
    out = []
    while data:
        length, at = data[1], 2
        if length >= 128:
            at = 2 + (length & 127)
            length = int.from_bytes(data[2:at], "big")
        out.append((data[0], data[at:at + length]))
        data = data[at + length:]
    return out


def integers(content):
    return [int.from_bytes(value, "big", signed=True) for tag, value in elements(content) if tag == 2]


def pem(label, data, end=b"\n"):
    text = base64.b64encode(data)
    lines = [text[i:i + 64] for i in range(0, len(text), 64)]
    return end.join([b"-----BEGIN %s-----" % label, *lines, b"-----END %s-----" % label, b""])


# --- RSA keys ---

OID_RSA = der(0x30, bytes.fromhex("06092a864886f70d0101010500"))


SMALL = math.prod(n for n in range(3, 2000, 2) if all(n % d for d in range(3, n, 2)))


def random_odd(bits):
    return secrets.randbits(bits) | 3 << bits - 2 | 1


def random_prime(bits):
    while True:
        p = random_odd(bits)
        if math.gcd(p, SMALL) == 1 and all(pow(a, p - 1, p) == 1 for a in (2, 3, 5)):
            return p


def rsa_numbers(p, q, e=65537, modulus=None):
    """The nine integers of RSAPrivateKey."""
    order = modulus or math.lcm(p - 1, q - 1)
    d = pow(e, -1, order) if math.gcd(e, order) == 1 else 3
    inverse = pow(q, -1, p) if math.gcd(p, q) == 1 else 1
    return [0, p * q, e, d, p, q, d % (p - 1), d % (q - 1), inverse]


def rsa_private(numbers, *more):
    return pem(b"RSA PRIVATE KEY", sequence(*numbers, *more))


def rsa_public(n, e=65537):
    return pem(b"PUBLIC KEY", sequence(OID_RSA, der(0x03, b"\0" + sequence(n, e))))


def rsa_key_cases(good):
    _, n, e, d, p, q, dp, dq, qi = good
    names = ("version", "n", "e", "d", "p", "q", "dP", "dQ", "qInv")
    yield "private", "0", "RSA: the key itself", rsa_private(good)
    yield "private", "0", "RSA: p < q or q < p, the other way round", rsa_private(rsa_numbers(q, p))
    yield "private", "0", "RSA: d mod phi", rsa_private(rsa_numbers(p, q, modulus=(p - 1) * (q - 1)))
    yield "private", "0", "RSA: d mod lambda", rsa_private(rsa_numbers(p, q))
    for i in range(1, 9):
        for bit in (0, 1, 8, 500):
            wrong = good[:]
            wrong[i] ^= 1 << bit
            yield "private", "5", f"RSA: bit {bit} of {names[i]} is flipped", rsa_private(wrong)
        for value in (0, 1, -1, n):
            if (i, value) not in ((1, n), (8, 1)):
                wrong = good[:]
                wrong[i] = value
                yield "private", "5", f"RSA: {names[i]} is {value if value < 2 else 'n'}", rsa_private(wrong)
    for version in (1, 2):
        yield "private", "5", f"RSA: version {version}", rsa_private([version] + good[1:])
    third = random_odd(1024)
    other = der(0x30, sequence(third, d % (third - 1), pow(p * q, -1, third)))
    yield "private", "5", "RSA: three primes", rsa_private([1, n * third] + good[2:], other)
    yield "private", "5", "RSA: p = q", rsa_private(rsa_numbers(p, p, modulus=p * (p - 1)))
    yield "private", "5", "RSA: q = 2", rsa_private(rsa_numbers(p * q // 2 | 1, 2))
    yield "check", "5", "RSA: q = 3", rsa_private(rsa_numbers(random_odd(2047), 3))
    yield "private", "5", "RSA: n is prime", rsa_private([0, third, e, d, third, 1, dp, 0, 1])
    for exponent in (1, 2, 65536, 2**24 + 1, 2**24 + 43, n, n + 2):
        yield "private", "5", f"RSA: e = {exponent if exponent < n else 'n or n + 2'}", \
            rsa_private([0, n, exponent, d, p, q, dp, dq, qi])
        yield "public", "5", f"RSA: public e = {exponent if exponent < n else 'n or n + 2'}", rsa_public(n, exponent)
    yield "private", "5", "RSA: 1024 bits", rsa_private(rsa_numbers(random_prime(512), random_prime(512)))
    for bits in (512, 1024, 2047):
        yield "public", "5", f"RSA: public {bits} bits", rsa_public(secrets.randbits(bits) | 1 << bits - 1 | 1)
    for bits in (16392, 1000000):
        yield "public", "5", f"RSA: public {bits} bits", rsa_public(secrets.randbits(bits) | 1 << bits - 1 | 1)
    yield "public", "0", "RSA: public 16384 bits", rsa_public(secrets.randbits(16384) | 1 << 16383 | 1)
    yield "private", "5", "RSA: a million bits in each number", rsa_private([0] + [1 << 999999 | 1] * 8)
    for value in (0, 1, 2, -n, n - 1):
        yield "public", "5", f"RSA: public n = {value if abs(value) < n // 2 else 'even or negative'}", rsa_public(value)
    for composite in (random_prime(500) * random_prime(524), 3 * random_prime(1022)):
        numbers = rsa_numbers(composite, q) # consistent, but p is not prime
        yield "check", "5", "RSA: p is composite", rsa_private(numbers)


def der_cases(good):
    data = sequence(*good)
    label = b"RSA PRIVATE KEY"
    body = data[4:]
    assert data[:2] == b"\x30\x82"

    def bad(name, octets):
        return "private", "5", "DER: " + name, pem(label, octets)

    yield bad("an indefinite length", b"\x30\x80" + body + b"\0\0")
    yield bad("a length of 2^31", b"\x30\x84\x80\0\0\0" + body)
    yield bad("a length of 2^63", b"\x30\x88\x80\0\0\0\0\0\0\0" + body)
    yield bad("a length of 2^64 - 1", b"\x30\x88" + b"\xff" * 8 + body)
    yield bad("a length of 127 octets", b"\x30\xff" + b"\0" * 125 + data[2:4] + body)
    yield bad("a length that is not minimal", b"\x30\x83\0" + data[2:4] + body)
    yield bad("a short length in long form", b"\x30\x82" + struct.pack(">H", len(body) + 1) + b"\2\x81\1\0" + body[3:])
    yield bad("a byte after the end", data + b"\0")
    yield bad("a byte missing", data[:-1])
    yield bad("a number after the last", sequence(*good, 1))
    yield bad("a number missing", sequence(*good[:-1]))
    yield bad("an empty SEQUENCE", b"\x30\0")
    yield bad("nothing", b"")
    yield bad("another tag", b"\x31" + data[1:])
    yield bad("a NULL for a number", sequence(*good[:5], b"\5\0", *good[6:]))
    yield bad("an INTEGER without a byte", sequence(*good[:5], b"\2\0", *good[6:]))
    n = model.minimal(good[1])
    yield bad("an INTEGER with a needless 00", sequence(0, der(2, b"\0\0" + n), *good[2:]))
    yield bad("a negative INTEGER", sequence(0, der(2, n), *good[2:]))
    yield bad("a needless ff", sequence(0, der(2, b"\xff" + n), *good[2:]))
    nested = b""
    for _ in range(5000):
        nested = der(0x30, nested)
    yield bad("5000 SEQUENCEs in one another", nested)
    for cut in range(1, len(data), 97):
        yield bad(f"cut after {cut} bytes", data[:cut])
    yield "private", "5", "DER: bare, cut", data[:-1]
    yield "private", "5", "DER: bare, and a byte more", data + b"\0"
    yield "private", "0", "DER: bare", data
    bits = sequence(good[1], 65537)
    for first, name in ((b"\1", "an unused bit"), (b"\x08", "eight unused bits"), (b"", "no count of unused bits")):
        yield "public", "5", "DER: BIT STRING with " + name, pem(b"PUBLIC KEY", sequence(OID_RSA, der(3, first + bits)))


def pem_cases(good):
    data = sequence(*good)
    label = b"RSA PRIVATE KEY"
    text = pem(label, data)
    lines = text.split(b"\n")

    def bad(name, octets):
        return "private", "5", "PEM: " + name, octets

    yield "private", "0", "PEM: CRLF", pem(label, data, b"\r\n")
    yield "private", "0", "PEM: without the last newline", text[:-1]
    yield "private", "0", "PEM: two blocks", text + text
    yield "private", "0", "PEM: comments and blank lines around it", b"# mine\n\n" + text + b"\n# end\n"
    yield bad("no end", b"\n".join(lines[:-2]) + b"\n")
    yield bad("no beginning", b"\n".join(lines[1:]))
    yield bad("only a beginning", lines[0] + b"\n")
    yield bad("another end", text.replace(b"END RSA", b"END EC"))
    yield bad("an unknown label", pem(b"TEAPOT", data))
    yield bad("the label of PKCS#8", pem(b"PRIVATE KEY", data))
    yield bad("a NUL", text[:100] + b"\0" + text[101:])
    yield bad("a byte above 7f", text[:100] + b"\xff" + text[101:])
    yield bad("a character that is not base64", text[:100] + b"*" + text[101:])
    yield bad("padding in the middle", text[:100] + b"=" + text[101:])
    yield bad("a line of 10 MB", lines[0] + b"\n" + b"A" * 10**7 + b"\n" + lines[-2] + b"\n")
    yield bad("10 MB without an end", lines[0] + b"\n" + (b"A" * 63 + b"\n") * 156250)
    yield bad("a line of 10 MB that is no key", b"a" * 10**7)
    yield bad("NULs", b"\0" * 1000)
    yield bad("an encrypted PKCS#8 key", pem(b"ENCRYPTED PRIVATE KEY", data))
    yield bad("an encrypted PKCS#1 key", text.replace(
        lines[0], lines[0] + b"\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n"))
    yield bad("a GnuPG key", pem(b"PGP PRIVATE KEY BLOCK", data))
    yield bad("a certificate", pem(b"CERTIFICATE", data))


# --- ElGamal keys ---

OID_X942 = bytes.fromhex("06072a8648ce3e0201")


def elgamal_private(x, *parameters):
    algorithm = sequence(OID_X942, sequence(*parameters))
    return pem(b"PRIVATE KEY", sequence(0, algorithm, der(4, integer(x))))


def elgamal_public(y, *parameters):
    algorithm = sequence(OID_X942, sequence(*parameters))
    return pem(b"PUBLIC KEY", sequence(algorithm, der(3, b"\0" + integer(y))))


def recipient(payload, hrp="age1tahr"):
    return model.bech32_encode(hrp, payload).encode() + b"\n"


def identity(payload):
    return model.bech32_encode("age-plugin-tahr-", payload).upper().encode() + b"\n"


def elgamal_key_cases(group, x):
    p, q, g, n = group.p, group.p // 2, group.g, group.n
    y = pow(g, x, p)
    yield "private", "0", "ElGamal: the key itself", elgamal_private(x, p, g, q)
    yield "public", "0", "ElGamal: its public half", elgamal_public(y, p, g, q)
    for name, value in (("0", 0), ("-1", -1), ("q", q), ("q + 1", q + 1), ("p", p)):
        yield "private", "5", "ElGamal: x = " + name, elgamal_private(value, p, g, q)
    outside = (("0", 0), ("1", 1), ("p - 1", p - 1), ("p", p), ("p + 1", p + 1), ("-1", -1),
               ("-y, a non-residue", p - y), ("2^(8n)", 1 << 8 * n), ("a million bits", 1 << 999999))
    for name, value in outside:
        yield "public", "5", "ElGamal: y = " + name, elgamal_public(value, p, g, q)
    for name, value in outside[:6] + (("a generator of everything", p - 4),):
        yield "private", "5", "ElGamal: g = " + name, elgamal_private(x, p, value, q)
        yield "public", "5", "ElGamal: public g = " + name, elgamal_public(y, p, value, q)
    for name, value in (("q + 2", q + 2), ("a small q", 257), ("q = p", p), ("q = 0", 0), ("q = -q", -q)):
        yield "public", "5", "ElGamal: " + name, elgamal_public(y, p, g, value)
    small = 2**1024 - 1093337 # a safe prime
    composite = p - 2**64 * 8
    for name, prime in (("p - 1", p - 1), ("0", 0), ("1", 1), ("-p", -p), ("of 1024 bits", small), ("composite", composite),
                        ("a million bits", (1 << 999999) + 3), ("p of 8200 bits", (1 << 8199) + 3)):
        yield "public", "5", f"ElGamal: p = {name}", elgamal_public(4, prime, 2, prime // 2)
    dsa_q = random_prime(256)
    p_dsa = 2 * dsa_q * random_odd(1791) + 1
    g_dsa = pow(3, p_dsa // dsa_q, p_dsa)
    yield "public", "5", "ElGamal: a group like DSA's", elgamal_public(pow(g_dsa, 5, p_dsa), p_dsa, g_dsa, dsa_q)

    here = bytes([group.ident])
    good = here + y.to_bytes(n, "big")
    text = recipient(good)
    explicit = model.Group(0, None, p, 4)
    with_4 = pow(4, x, p).to_bytes(n, "big")
    yield "public", "0", "Bech32: the key itself", text
    yield "public", "0", "Bech32: a named p with another g", recipient(explicit.block() + with_4)
    bad = {
        "mixed case": text[:20] + text[20:].upper(),
        "upper case": text.upper(),
        "a wrong checksum": text[:-2] + (b"q" if text[-2:-1] != b"q" else b"p") + b"\n",
        "a character missing": text[:-2] + b"\n",
        "a character that is not in the alphabet": text[:30] + b"b" + text[31:],
        "nothing but the prefix": b"age1tahr1\n",
        "an empty payload": recipient(b""),
        "another prefix": recipient(good, "age1tahs"),
        "an X25519 recipient of small order": recipient(bytes(32), "age"),
        "an unknown group": recipient(b"\x7f" + good[1:]),
        "a byte missing": recipient(good[:-1]),
        "a byte more": recipient(good + b"\0"),
        "the block alone": recipient(here),
        "y = 0": recipient(here + bytes(n)),
        "y = 1": recipient(here + (1).to_bytes(n, "big")),
        "y = p - 1": recipient(here + (p - 1).to_bytes(n, "big")),
        "y = p": recipient(here + p.to_bytes(n, "big")),
        "-y": recipient(here + (p - y).to_bytes(n, "big")),
        "a named group in explicit form": recipient(model.Group(0, None, p).block() + good[1:]),
        "a leading zero in g": recipient(explicit.block()[:-3] + b"\0\2\0\4" + with_4),
        "an empty g": recipient(explicit.block()[:-3] + b"\0\0" + with_4),
        "a length of p beyond the end": recipient(b"\0\xff\xff" + explicit.block()[3:] + with_4),
        "a megabyte": recipient(bytes(10**6)),
    }
    for name, octets in bad.items():
        yield "public", "5", "Bech32: " + name, octets
    raw = model.x_bytes(group, x)
    block = b"\1" + here
    yield "private", "0", "identity: the key itself", identity(block + struct.pack(">H", len(raw)) + raw)
    bad = {
        "an unknown type": identity(b"\7" + here + struct.pack(">H", len(raw)) + raw),
        "nothing in it": identity(b""),
        "no x": identity(block),
        "x = 0": identity(block + struct.pack(">H", len(raw)) + bytes(len(raw))),
        "an empty x": identity(block + b"\0\0"),
        "x cut short": identity(block + struct.pack(">H", len(raw)) + raw[:-1]),
        "a byte more": identity(block + struct.pack(">H", len(raw)) + raw + b"\0"),
        "a short x": identity(block + struct.pack(">H", len(raw) - 1) + raw[1:]),
        "x = q": identity(block + struct.pack(">H", n) + q.to_bytes(n, "big")),
        "an unknown group": identity(b"\1\x7f" + struct.pack(">H", len(raw)) + raw),
        "RSA without a key": identity(b"\2"),
        "an age secret key with a wrong checksum": b"AGE-SECRET-KEY-1" + b"Q" * 58 + b"\n",
    }
    for name, octets in bad.items():
        yield "private", "5", "identity: " + name, octets
