#!/usr/bin/env python3
"""An independent model of the tahr/elgamal recipient, with nothing but Python's own library.

    elgamal_model.py keygen [GROUP]             an identity file, on standard output
    elgamal_model.py encrypt RECIPIENT          standard input to an age file on standard output
    elgamal_model.py decrypt IDENTITY-FILE      the reverse
    elgamal_model.py vectors                    vectors/elgamal.txt

It shares no code or data with the library: the primes come from e and pi, the rest from the
written formats. It is neither fast nor constant-time; never use it with a real key.
"""
import base64
import hashlib
import hmac
import secrets
import struct
import sys

# --- Groups: RFC 7919 appendix A, RFC 3526 ---

PRECISION = 8192 - 130  # fraction bits of e and pi that the largest group takes
GUARD = 64              # more than the sum of the truncation errors below


def scaled_e():
    """floor(2^PRECISION e) from e = 1 + 1/1! + 1/2! + ..."""
    total, term, k = 0, 1 << PRECISION + GUARD, 0
    while term:
        total, k = total + term, k + 1
        term //= k
    return total >> GUARD


def scaled_pi():
    """floor(2^PRECISION pi) from Machin's pi = 16 arctan(1/5) - 4 arctan(1/239)."""
    def arctan_inverse(n):
        total, power, k = 0, (1 << PRECISION + GUARD) // n, 0
        while power:
            total += (-1) ** k * (power // (2 * k + 1))
            power, k = power // (n * n), k + 1
        return total
    return 16 * arctan_inverse(5) - 4 * arctan_inverse(239) >> GUARD


def prime(bits, digits, x):
    """2^b - 2^(b-64) + (floor(2^(b-130) c) + x) 2^64 - 1 for c = e or pi."""
    return 2**bits - 2**(bits - 64) + ((digits >> 8192 - bits) + x) * 2**64 - 1


SIZES = ((2048, 256), (3072, 320), (4096, 384), (6144, 448), (8192, 512))  # bits, L
E_OFFSETS = (560316, 2625351, 5736041, 15705020, 10965728)
PI_OFFSETS = (124476, 1690314, 240904, 929484, 4743158)


class Group:
    def __init__(self, ident, name, p, g=2):
        self.ident, self.name, self.p, self.g = ident, name, p, g
        self.n = (p.bit_length() + 7) // 8
        self.xbits = next(length for bits, length in SIZES if p.bit_length() <= bits)

    def block(self):
        """What precedes y in a recipient and x in an identity."""
        if self.ident:
            return bytes([self.ident])
        g = minimal(self.g)
        return (b"\0" + struct.pack(">H", self.n) + self.p.to_bytes(self.n, "big")
                + struct.pack(">H", len(g)) + g)

    def valid(self, a):
        """Is a a residue other than 1?  (-1 is none, since p = 3 mod 4.)"""
        return 2 <= a <= self.p - 2 and pow(a, self.p // 2, self.p) == 1


def minimal(number):
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def named_groups():
    digits = (("ffdhe", 0x01, scaled_e(), E_OFFSETS), ("modp", 0x11, scaled_pi(), PI_OFFSETS))
    return [Group(first + i, family + str(bits), prime(bits, c, offsets[i]))
            for family, first, c, offsets in digits for i, (bits, _) in enumerate(SIZES)]


NAMED = named_groups()


def group_of_name(name):
    return next(group for group in NAMED if group.name == name)


def parse_group(data):
    """The group block at the head of data, and the rest."""
    ident, data = data[0], data[1:]
    if ident:
        return next(group for group in NAMED if group.ident == ident), data
    numbers = []
    for _ in range(2):
        (length,), data = struct.unpack(">H", data[:2]), data[2:]
        numbers.append(int.from_bytes(data[:length], "big"))
        data = data[length:]
    return Group(0, None, *numbers), data


# --- Bech32 (BIP 173), without its length limit ---

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def polymod(values):
    c = 1
    for v in values:
        top, c = c >> 25, (c & 0x1FFFFFF) << 5 ^ v
        for i, factor in enumerate(GENERATOR):
            c ^= factor if top >> i & 1 else 0
    return c


def expand(hrp):
    return [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]


def bech32_encode(hrp, data):
    pad = -8 * len(data) % 5
    number = int.from_bytes(data, "big") << pad
    count = (8 * len(data) + pad) // 5
    values = [number >> 5 * (count - 1 - i) & 31 for i in range(count)]
    check = polymod(expand(hrp) + values + [0] * 6) ^ 1
    values += [check >> 5 * (5 - i) & 31 for i in range(6)]
    return hrp + "1" + "".join(ALPHABET[v] for v in values)


def bech32_decode(hrp, text):
    if text not in (text.lower(), text.upper()):
        raise ValueError("mixed case")
    found, _, digits = text.lower().rpartition("1")
    values = [ALPHABET.index(c) for c in digits]
    if found != hrp or polymod(expand(hrp) + values) != 1:
        raise ValueError("not a Bech32 string with prefix " + hrp)
    bits = 5 * (len(values) - 6)
    number = int("0" + "".join(f"{v:05b}" for v in values[:-6]), 2)
    if bits % 8 > 4 or number & (1 << bits % 8) - 1:
        raise ValueError("padding")
    return (number >> bits % 8).to_bytes(bits // 8, "big")


# --- ChaCha20-Poly1305 (RFC 8439) ---

MASK = 0xFFFFFFFF


def quarter(s, a, b, c, d):
    for left, right, other, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[left] = s[left] + s[right] & MASK
        word = s[other] ^ s[left]
        s[other] = (word << turn | word >> 32 - turn) & MASK


def chacha20_block(key, counter, nonce):
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<I", counter) + nonce))
    s = start[:]
    for _ in range(10):
        for i in range(4):
            quarter(s, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) & MASK for a, b in zip(s, start)))


def chacha20(key, nonce, data):
    stream = b"".join(chacha20_block(key, 1 + i, nonce) for i in range((len(data) + 63) // 64))
    return bytes(a ^ b for a, b in zip(data, stream))


def poly1305_tag(key, nonce, sealed):
    """The tag of a ciphertext without additional data."""
    once = chacha20_block(key, 0, nonce)
    r = int.from_bytes(once[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    text = sealed + bytes(-len(sealed) % 16) + struct.pack("<QQ", 0, len(sealed))
    a = 0
    for i in range(0, len(text), 16):
        a = (a + int.from_bytes(text[i:i + 16] + b"\1", "little")) * r % (2**130 - 5)
    return ((a + int.from_bytes(once[16:32], "little")) % 2**128).to_bytes(16, "little")


def seal(key, nonce, text):
    sealed = chacha20(key, nonce, text)
    return sealed + poly1305_tag(key, nonce, sealed)


def open_sealed(key, nonce, sealed):
    if sealed[-16:] != poly1305_tag(key, nonce, sealed[:-16]):
        raise ValueError("does not open")
    return chacha20(key, nonce, sealed[:-16])


# --- The stanza ---

def hmac_sha256(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def hkdf(ikm, salt, info):
    """32 bytes of HKDF-SHA-256 (RFC 5869): one block."""
    return hmac_sha256(hmac_sha256(salt, ikm), info + b"\1")


class Public:
    def __init__(self, group, y):
        self.group, self.y = group, y
        self.payload = group.block() + y.to_bytes(group.n, "big")
        self.pkh = hashlib.sha256(self.payload).digest()

    def recipient(self):
        return bech32_encode("age1tahr", self.payload)


def parse_recipient(text):
    payload = bech32_decode("age1tahr", text)
    group, rest = parse_group(payload)
    public = Public(group, int.from_bytes(rest, "big"))
    if public.payload != payload or not group.valid(public.y):
        raise ValueError("bad recipient")
    return public


def x_bytes(group, x):
    """L/8 bytes, or those of q when x is longer."""
    bits = group.xbits if x < 2**group.xbits else group.p.bit_length() - 1
    return x.to_bytes((bits + 7) // 8, "big")


def identity(group, x):
    raw = x_bytes(group, x)
    payload = b"\1" + group.block() + struct.pack(">H", len(raw)) + raw
    return bech32_encode("age-plugin-tahr-", payload).upper()


def parse_identity(text):
    payload = bech32_decode("age-plugin-tahr-", text)
    if payload[0] != 1:
        raise ValueError("not an ElGamal identity")
    group, rest = parse_group(payload[1:])
    if len(rest) != 2 + struct.unpack(">H", rest[:2])[0]:
        raise ValueError("length of x")
    return group, int.from_bytes(rest[2:], "big")


def tag_of(public, c1):
    return hmac_sha256(b"tahr/elgamal/v1/tag", c1 + public.pkh)[:4]


def wrap_key(public, c1, z):
    return hkdf(z, c1 + public.pkh, b"tahr/elgamal/v1")


def wrap(public, file_key, k):
    """Every quantity on the way to the stanza, by name."""
    p, n = public.group.p, public.group.n
    c1 = pow(public.group.g, k, p).to_bytes(n, "big")
    z = pow(public.y, k, p).to_bytes(n, "big")
    key = wrap_key(public, c1, z)
    return {"C1": c1, "Z": z, "Tag": tag_of(public, c1), "Wrap": key,
            "Body": seal(key, bytes(12), file_key)}


def unwrap(group, x, arguments, body):
    """The file key, or None if the stanza is for another key."""
    public = Public(group, pow(group.g, x, group.p))
    tag, c1 = map(unbase64, arguments)
    if len(tag) != 4 or len(body) != 32:
        raise ValueError("malformed stanza")
    if tag != tag_of(public, c1):
        return None
    if len(c1) != group.n or not group.valid(int.from_bytes(c1, "big")):
        raise ValueError("bad c1")
    z = pow(int.from_bytes(c1, "big"), x, group.p).to_bytes(group.n, "big")
    return open_sealed(wrap_key(public, c1, z), bytes(12), body)


# --- The age v1 file ---

VERSION = b"age-encryption.org/v1\n"
CHUNK = 65536


def base64_text(data):
    return base64.b64encode(data).rstrip(b"=")


def unbase64(text):
    data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    if base64_text(data) != text:
        raise ValueError("base64 is not canonical")
    return data


def stanza_text(tag, c1, body):
    encoded = base64_text(body)
    lines = [encoded[i:i + 64] for i in range(0, len(encoded) + 1, 64)]
    return b" ".join((b"->", b"tahr/elgamal", base64_text(tag), base64_text(c1))) + b"\n" \
        + b"".join(line + b"\n" for line in lines)


def header_mac(file_key, header):
    return base64_text(hmac_sha256(hkdf(file_key, b"", b"header"), header))


def chunk_nonce(counter, last):
    return counter.to_bytes(11, "big") + bytes([last])


def age_encrypt(public, text):
    file_key, nonce = secrets.token_bytes(16), secrets.token_bytes(16)
    w = wrap(public, file_key, 1 + secrets.randbelow(2**public.group.xbits - 1))
    header = VERSION + stanza_text(w["Tag"], w["C1"], w["Body"]) + b"---"
    out = [header, b" ", header_mac(file_key, header), b"\n", nonce]
    key = hkdf(file_key, nonce, b"payload")
    chunks = [text[i:i + CHUNK] for i in range(0, len(text), CHUNK)] or [b""]
    for i, chunk in enumerate(chunks):
        out.append(seal(key, chunk_nonce(i, i == len(chunks) - 1), chunk))
    return b"".join(out)


def age_decrypt(group, x, data):
    lines, at = [], 0
    while not lines or not lines[-1].startswith(b"---"):
        end = data.index(b"\n", at)
        lines.append(data[at:end])
        at = end + 1
    if lines[0] + b"\n" != VERSION:
        raise ValueError("not an age file")
    stanzas = []  # lists of argument line, body lines ...
    for line in lines[1:-1]:
        if line.startswith(b"-> "):
            stanzas.append([line[3:]])
        else:
            stanzas[-1].append(line)
    file_key = None
    for arguments, *body in stanzas:
        kind, *rest = arguments.split(b" ")
        if kind == b"tahr/elgamal" and not file_key:
            file_key = unwrap(group, x, rest, unbase64(b"".join(body)))
    if not file_key:
        raise ValueError("no stanza is for this key")
    header = b"\n".join(lines[:-1]) + b"\n---"
    if lines[-1] != b"--- " + header_mac(file_key, header):
        raise ValueError("header MAC")
    return stream_open(hkdf(file_key, data[at:at + 16], b"payload"), data[at + 16:])


def stream_open(key, sealed):
    chunks = [sealed[i:i + CHUNK + 16] for i in range(0, len(sealed), CHUNK + 16)]
    out = [open_sealed(key, chunk_nonce(i, i == len(chunks) - 1), chunk)
           for i, chunk in enumerate(chunks)]
    if not out or len(out) > 1 and not out[-1]:
        raise ValueError("last chunk")
    return b"".join(out)


# --- Published answers ---

def derived(label, bits):
    """A number of at most so many bits out of a label: SHAKE-256, so that nobody chose it."""
    return int.from_bytes(hashlib.shake_256(label.encode()).digest(bits // 8), "big")


# Groups that no standard names: the largest safe prime below 2^2048 and the smallest above 2^2049
# (both found by search, and proven again by whoever loads them), and a named prime with another g.
BELOW = Group(0, None, 2**2048 - 1942289)
ABOVE = Group(0, None, 2**2049 + 4507791, 512)
SQUARED = Group(0, None, group_of_name("ffdhe2048").p, 4)

# What the case shows, group, x, k; a number stands for itself, a label for its derived number.
# The labels with a number were found by search, and cases() asserts what they show.
CASES = (
    ("z begins with a zero byte", "ffdhe2048", "x", "k 760"),
    ("c1 begins with a zero byte", "ffdhe2048", "x", "k 22"),
    ("y begins with a zero byte", "ffdhe2048", "x 528", "k"),
    ("the smallest k", "ffdhe2048", "x", 1),
    ("the largest k", "ffdhe2048", "x", 2**256 - 1),
    ("the smallest x", "ffdhe2048", 1, "k"),
    ("the largest fresh x", "ffdhe2048", 2**256 - 1, "k"),
    ("an x longer than L", "modp2048", "long x", "k"),
    ("", "ffdhe3072", "x", "k"),
    ("", "ffdhe4096", "x", "k"),
    ("", "ffdhe6144", "x", "k"),
    ("", "ffdhe8192", "x", "k"),
    ("", "modp2048", "x", "k"),
    ("", "modp3072", "x", "k"),
    ("p = 2^2048 - 1942289", BELOW, "x", "k"),
    ("p = 2^2049 + 4507791", ABOVE, "x", "k"),
    ("the p of ffdhe2048, but g = 4", SQUARED, "x", "k"),
)

VECTORS_HEAD = """\
# The tahr/elgamal recipient: keys, and stanzas with a fixed k.
# Made by tests/elgamal_model.py, which is written from the formats alone; x, k and the file keys
# are SHAKE-256 digests of the labels in that script.  Numbers and bytes are hexadecimal.
"""


def cases():
    for show, group, x, k in CASES:
        if isinstance(group, str):
            group = group_of_name(group)
        label = "tahr " + (group.name or "explicit") + " "
        if isinstance(x, str):
            x = derived(label + x, 2040 if x == "long x" else group.xbits)
        if isinstance(k, str):
            k = derived(label + k, group.xbits)
        file_key = derived(f"{label}file key {x} {k}", 128).to_bytes(16, "big")
        public = Public(group, pow(group.g, x, group.p))
        w = wrap(public, file_key, k)
        for name, value in (("z", w["Z"]), ("c1", w["C1"]), ("y", public.payload[1:])):
            assert show != name + " begins with a zero byte" or value[0] == 0
        yield show, group, x, k, file_key, public, w


def print_vectors():
    print(VECTORS_HEAD, end="")
    for show, group, x, k, file_key, public, w in cases():
        print(f"\n# {show}" if show else "")
        print("Group =", group.name or "explicit")
        if not group.name:
            print("P =", minimal(group.p).hex())
            print("G =", minimal(group.g).hex())
        print("X =", x_bytes(group, x).hex())
        print("Y =", public.y.to_bytes(group.n, "big").hex())
        print("Recipient =", public.recipient())
        print("Identity =", identity(group, x))
        print("PKH =", public.pkh.hex())
        print("FileKey =", file_key.hex())
        print("K =", k.to_bytes(group.xbits // 8, "big").hex())
        for name, value in w.items():
            print(name, "=", value.hex())


def main(argv):
    if argv[1:2] == ["vectors"]:
        print_vectors()
    elif argv[1:2] == ["keygen"] and len(argv) <= 3:
        group = group_of_name((argv[2:] or ["ffdhe3072"])[0])
        x = 1 + secrets.randbelow(2**group.xbits - 1)
        print("# public key:", Public(group, pow(group.g, x, group.p)).recipient())
        print(identity(group, x))
    elif argv[1:2] == ["encrypt"] and len(argv) == 3:
        sys.stdout.buffer.write(age_encrypt(parse_recipient(argv[2]), sys.stdin.buffer.read()))
    elif argv[1:2] == ["decrypt"] and len(argv) == 3:
        with open(argv[2]) as file:
            lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
        group, x = parse_identity(lines[0])
        sys.stdout.buffer.write(age_decrypt(group, x, sys.stdin.buffer.read()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv)
