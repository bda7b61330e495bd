"""Messages that must be refused, and a few odd ones that are good: cases (kind, codes, name, bytes).

Stanzas of both kinds, header, payload and armor; see bad_inputs.py.  All have the same file key.
"""
import hashlib
import secrets
import struct

import elgamal_model as model
from bad_keys import pem

FILE_KEY = bytes(range(16))


def stanza(*arguments, body=b"", last=b"\n"):
    text = model.base64_text(body)
    lines = [text[i:i + 64] for i in range(0, len(text), 64)]
    if not lines or len(lines[-1]) == 64:
        lines.append(b"")
    return b"-> " + b" ".join(arguments) + b"\n" + b"\n".join(lines) + last


def header(*stanzas):
    text = model.VERSION + b"".join(stanzas) + b"---"
    return text + b" " + model.header_mac(FILE_KEY, text) + b"\n"


NONCE = bytes(16)


def chunk(text, counter, last):
    return model.seal(model.hkdf(FILE_KEY, NONCE, b"payload"), model.chunk_nonce(counter, last), text)


PAYLOAD = NONCE + chunk(b"a text\n", 0, 1)


def elgamal_stanza(public):
    """A good one."""
    w = model.wrap(public, FILE_KEY, 54321)
    return stanza(b"tahr/elgamal", model.base64_text(w["Tag"]), model.base64_text(w["C1"]), body=w["Body"])


def elgamal_cases(public):
    group = public.group
    w = model.wrap(public, FILE_KEY, 12345)
    b64 = model.base64_text
    tag, c1, body = w["Tag"], w["C1"], w["Body"]

    def message(tag=b64(tag), c1=b64(c1), body=body, more=()):
        return header(stanza(b"tahr/elgamal", tag, c1, *more, body=body)) + PAYLOAD

    def number(c):
        octets = c if isinstance(c, bytes) else c.to_bytes(group.n, "big")
        return message(b64(model.tag_of(public, octets)), b64(octets))

    def case(code, name, data):
        return "message", code, "tahr/elgamal: " + name, data

    p, c = group.p, int.from_bytes(c1, "big")
    yield case("0", "the message itself", message())
    for name, value in (("0", 0), ("1", 1), ("p - 1", p - 1), ("p", p), ("p + 1", p + 1), ("all ones", 256**group.n - 1),
                        ("-c1, a non-residue", p - c), ("a byte short", c1[1:]), ("a byte long", b"\0" + c1),
                        ("empty", b""), ("of twice the length", c1 + c1)):
        yield case("1", "c1 is " + name, number(value))
    yield case("4", "another tag", message(b64(bytes(4))))
    for name, octets in (("of 3 bytes", b64(tag[:3])), ("of 5 bytes", b64(tag + b"\0")), ("padded", b64(tag) + b"=="),
                         ("not canonical", b64(tag)[:-1] + bytes([b64(tag)[-1] + 1]))):
        yield case("1", "a tag " + name, message(octets))
    loose = b64(c1[:-1] + b"\0")[:-1] + b"B"
    if group.n % 3 != 0:
        yield case("1", "c1 is not canonical base64", message(c1=loose))
    yield case("1", "c1 is not base64", message(c1=b"*" * 512))
    yield case("1", "one argument more", message(more=(b"x",)))
    yield case("1", "one argument less", header(stanza(b"tahr/elgamal", b64(tag), body=body)) + PAYLOAD)
    yield case("1", "no argument", header(stanza(b"tahr/elgamal", body=body)) + PAYLOAD)
    for size in (0, 16, 31, 33, 48, 4096):
        yield case("1", f"a body of {size} bytes", message(body=(body * 128)[:size]))
    for i in (0, 15, 16, 31):
        yield case("1", f"byte {i} of the body is changed", message(body=body[:i] + bytes([body[i] ^ 1]) + body[i + 1:]))
    short = model.seal(w["Wrap"], bytes(12), FILE_KEY[:15])
    yield case("1", "a file key of 15 bytes", message(body=short))


def mgf1(seed, length):
    blocks = b"".join(hashlib.sha256(seed + struct.pack(">I", i)).digest() for i in range(length // 32 + 1))
    return blocks[:length]


def oaep(k, text, label=b"age-encryption.org/v1/ssh-rsa", first=b"\0", separator=b"\1", padding=b"\0"):
    """EME-OAEP of RFC 8017 7.1.1, and its ways to be wrong."""
    lhash = hashlib.sha256(label).digest()
    block = lhash + padding * (k - len(text) - 66) + separator + text
    seed = secrets.token_bytes(32)
    masked = bytes(a ^ b for a, b in zip(block, mgf1(seed, len(block))))
    masked_seed = bytes(a ^ b for a, b in zip(seed, mgf1(masked, 32)))
    return int.from_bytes(first + masked_seed + masked, "big")


def ssh_string(octets):
    return struct.pack(">I", len(octets)) + octets


def rsa_message_cases(n, e):
    k = (n.bit_length() + 7) // 8
    mpints = [number.to_bytes(number.bit_length() // 8 + 1, "big") for number in (e, n)]
    wire = ssh_string(b"ssh-rsa") + ssh_string(mpints[0]) + ssh_string(mpints[1])
    tag = model.base64_text(hashlib.sha256(wire).digest()[:4])

    def message(body, *arguments):
        return header(stanza(b"ssh-rsa", *(arguments or (tag,)), body=body)) + PAYLOAD

    def sealed(m):
        return message(pow(m, e, n).to_bytes(k, "big"))

    def case(kind, code, name, data):
        return kind, code, "ssh-rsa: " + name, data

    good = pow(oaep(k, FILE_KEY), e, n).to_bytes(k, "big")
    yield case("message", "0", "the message itself", message(good))
    for name, m in (("m is 0", 0), ("m is 1", 1), ("m is n - 1", n - 1), ("the label is another", oaep(k, FILE_KEY, b"")),
                    ("the label ends in NUL", oaep(k, FILE_KEY, b"age-encryption.org/v1/ssh-rsa\0")),
                    ("the first byte is 1", oaep(k, FILE_KEY, first=b"\1") % n), ("no 01", oaep(k, FILE_KEY, separator=b"\0")),
                    ("02 for 01", oaep(k, FILE_KEY, separator=b"\2")), ("padding of 01", oaep(k, FILE_KEY, padding=b"\1")),
                    ("padding of ff", oaep(k, FILE_KEY, padding=b"\xff")), ("a file key of 15 bytes", oaep(k, FILE_KEY[:15])),
                    ("a file key of 17 bytes", oaep(k, FILE_KEY + b"x")), ("an empty file key", oaep(k, b""))):
        yield case("oaep", "1", name, sealed(m))
    for name, c in (("0", 0), ("1", 1), ("n - 1", n - 1), ("n", n), ("n + 1", n + 1), ("all ones", 256**k - 1)):
        yield case("oaep", "1", f"c = {name}", message(c.to_bytes(k, "big")))
    for i in (0, 1, k - 1):
        yield case("oaep", "1", f"byte {i} of c is changed", message(good[:i] + bytes([good[i] ^ 1]) + good[i + 1:]))
    for size, body in ((k - 1, good[:-1]), (k + 1, b"\0" + good), (0, b""), (2 * k, good + good)):
        yield case("message", "1", f"a body of {size} bytes", message(body))
    yield case("message", "4", "another tag", message(good, model.base64_text(bytes(4))))
    yield case("message", "1", "two arguments", message(good, tag, b"x"))
    yield case("message", "1", "no argument", header(stanza(b"ssh-rsa", body=good)) + PAYLOAD)
    yield case("message", "1", "a tag of 3 bytes", message(good, tag[:4]))


def header_cases(ours):
    """ours is a good stanza."""
    good = header(ours)
    mac = good[-44:-1]

    def case(code, name, data):
        return "message", code, "header: " + name, data

    def bad(name, data):
        return case("1", name, data + PAYLOAD)

    grease = stanza(b"grease", b"!", body=b"123")
    yield case("0", "an unknown stanza before and after", header(grease, ours, grease) + PAYLOAD)
    yield case("0", "1024 stanzas", header(*[grease] * 1023, ours) + PAYLOAD)
    yield case("0", "128 arguments", header(stanza(*[b"a"] * 128), ours) + PAYLOAD)
    yield case("4", "nothing but unknown stanzas", header(grease) + PAYLOAD)
    yield case("1", "an empty file", b"")
    yield case("1", "one byte", b"a")
    yield case("1", "a text", b"Dear all,\n")
    yield case("1", "zeros", bytes(10**6))
    yield case("1", "an OpenPGP message", pem(b"PGP MESSAGE", bytes(100)))
    yield case("1", "an OpenPGP packet", b"\x85\x02\x0c\x03" + secrets.token_bytes(500))
    yield bad("another version", good.replace(b"/v1", b"/v2"))
    yield bad("no version", good[len(model.VERSION):])
    yield bad("CR in the version line", good.replace(b"/v1\n", b"/v1\r\n"))
    yield bad("no stanza", header())
    yield bad("1025 stanzas", header(*[grease] * 1024, ours))
    yield bad("129 arguments", header(stanza(*[b"a"] * 129), ours))
    yield bad("more than 2 MiB", header(stanza(b"big", body=bytes(2**21 * 3 // 4)), ours))
    yield bad("a body of 4 MB", header(stanza(b"big", body=bytes(4 * 10**6)), ours))
    yield bad("a line of 4 MB", header(stanza(b"a" * 4 * 10**6), ours))
    yield bad("no end", model.VERSION + ours * 100)
    yield case("1", "no end to an argument", model.VERSION + b"-> " + b"a" * 10**7)
    for name, argument in (("an escape", b"a\x1b[31mb"), ("NUL", b"a\0b"), ("DEL", b"a\x7f"), ("a byte above 7f", b"\xc3\xbc"),
                           ("a tab", b"a\tb"), ("CR", b"a\r")):
        yield bad(name + " in an argument", header(stanza(b"grease", argument), ours))
    yield bad("an empty argument", header(stanza(b"grease", b"", b"x"), ours))
    yield bad("a space at the end of a line", header(stanza(b"grease", b""), ours))
    yield bad("no argument at all", header(b"->\n\n", ours))
    yield bad("a body of an impossible length", header(b"-> grease\nA\n", ours))
    yield bad("a body that is not canonical", header(b"-> grease\nAB\n", ours))
    yield bad("a padded body", header(b"-> grease\nAA==\n", ours))
    yield bad("a line of the body too long", header(b"-> grease\n" + b"A" * 68 + b"\n\n", ours))
    yield bad("a short line in the middle", header(b"-> grease\nAAAA\nAAAA\n", ours))
    yield bad("no short line at the end", header(b"-> grease\n" + b"A" * 64 + b"\n", ours))
    yield bad("no MAC", good[:-45] + b"\n")
    yield bad("an empty MAC", good[:-44] + b"\n")
    yield bad("another MAC", good[:-44] + (b"A" * 43) + b"\n")
    yield bad("a MAC of 31 bytes", good[:-44] + model.base64_text(bytes(31)) + b"\n")
    yield bad("a MAC that is not canonical", good[:-2] + bytes([good[-2] + 1]) + b"\n")
    yield bad("a space after the MAC", good[:-1] + b" \n")
    yield bad("two spaces before the MAC", good[:-44] + b" " + mac + b"\n")
    for cut in range(0, len(good), 41):
        yield case("1", f"cut after {cut} bytes", good[:cut])


def stream_cases(ours):
    head = header(ours)
    size = model.CHUNK
    texts = [bytes([65 + i]) * size for i in range(2)] + [b"the end\n"]
    parts = [chunk(text, i, i == 2) for i, text in enumerate(texts)]
    one = chunk(texts[0], 0, 1)

    def case(code, name, *pieces):
        return "message", code, "stream: " + name, head + b"".join(pieces)

    yield case("0", "three chunks", NONCE, *parts)
    yield case("0", "one full chunk", NONCE, one)
    yield case("0", "nothing", NONCE, chunk(b"", 0, 1))
    whole = NONCE + b"".join(parts)
    for i in range(3):
        edge = 16 + i * (size + 16)
        for cut in (edge - 1, edge, edge + 1, edge + 15, edge + 16, edge + 17):
            if cut < len(whole):
                yield case("1", f"cut after {cut} bytes", whole[:cut])
    yield case("1", "cut before its last byte", whole[:-1])
    yield case("1", "no nonce")
    yield case("1", "another nonce", b"x" * 16, *parts)
    yield case("1", "two chunks swapped", NONCE, parts[1], parts[0], parts[2])
    yield case("1", "a chunk twice", NONCE, parts[0], parts[0], parts[1], parts[2])
    yield case("1", "the first chunk dropped", NONCE, *parts[1:])
    yield case("1", "the middle chunk dropped", NONCE, parts[0], parts[2])
    yield case("1", "the last chunk dropped", NONCE, *parts[:2])
    yield case("1", "the last chunk twice", NONCE, *parts, parts[2])
    yield case("1", "two last chunks", NONCE, one, chunk(b"x", 1, 1))
    yield case("1", "an empty last chunk", NONCE, chunk(texts[0], 0, 0), chunk(b"", 1, 1))
    yield case("1", "a short chunk that is not the last", NONCE, chunk(b"short", 0, 0), chunk(b"x", 1, 1))
    yield case("1", "no last chunk", NONCE, chunk(b"short", 0, 0))
    yield case("1", "a full last chunk that is not marked", NONCE, chunk(texts[0], 0, 0))
    yield case("1", "a last chunk of the wrong number", NONCE, chunk(texts[0], 0, 0), chunk(b"x", 2, 1))
    yield case("1", "a byte after the end", whole, b"\0")
    yield case("1", "a newline after the end", whole, b"\n")
    yield case("1", "65536 bytes after the end", whole, bytes(65536))
    for at in (0, 15, 16, 1000, size + 15, size + 31, size + 32, len(whole) - 17, len(whole) - 1):
        changed = whole[:at] + bytes([whole[at] ^ 128]) + whole[at + 1:]
        yield case("1", f"byte {at} is changed", changed)
    file = head + PAYLOAD
    for i in range(0, len(file), 13):
        bit = 1 << i % 8
        yield "message", "1|4", f"bit {i % 8} of byte {i} of a file is flipped", file[:i] + bytes([file[i] ^ bit]) + file[i + 1:]


def armor_cases(ours):
    data = header(ours) + PAYLOAD
    text = pem(b"AGE ENCRYPTED FILE", data)
    lines = text.split(b"\n")

    def case(code, name, octets):
        return "message", code, "armor: " + name, octets

    yield case("0", "the message itself", text)
    yield case("0", "CRLF", text.replace(b"\n", b"\r\n"))
    yield case("0", "white space around it", b" \n\t\n" + text + b"\n \n")
    yield case("1", "a line before it", b"hello\n" + text)
    yield case("1", "a line after it", text + b"hello\n")
    yield case("1", "twice", text + text)
    yield case("1", "no end", b"\n".join(lines[:-2]) + b"\n")
    yield case("1", "only a beginning", lines[0] + b"\n")
    yield case("1", "another end", text.replace(b"END AGE", b"END OLD"))
    yield case("1", "another label", text.replace(b"AGE ENCRYPTED FILE", b"PGP MESSAGE"))
    yield case("1", "a header", text.replace(b"FILE-----\n", b"FILE-----\nVersion: 1\n\n", 1))
    yield case("1", "an empty line", b"\n".join(lines[:3] + [b""] + lines[3:]))
    yield case("1|4", "a line dropped", b"\n".join(lines[:4] + lines[5:]))
    yield case("1", "a short line", b"\n".join(lines[:3] + [lines[3][:60]] + lines[4:]))
    yield case("1", "a long line", b"\n".join(lines[:3] + [lines[3] + lines[4]] + lines[5:]))
    yield case("1", "a space at the end of a line", b"\n".join(lines[:3] + [lines[3] + b" "] + lines[4:]))
    yield case("1", "another character", text[:100] + b"*" + text[101:])
    yield case("1", "a NUL", text[:100] + b"\0" + text[101:])
    yield case("1", "nothing in it", lines[0] + b"\n" + lines[-2] + b"\n")
    yield case("1", "a line of 10 MB", lines[0] + b"\n" + b"A" * 10**7 + b"\n" + lines[-2] + b"\n")
