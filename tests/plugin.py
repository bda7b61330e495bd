#!/usr/bin/env python3
"""The plugin protocol without a client in between: what age-plugin-tahr says to good commands, to
bad ones and to garbage (C2SP age-plugin).

    plugin.py identity       an RSAPrivateKey in DER on standard input as AGE-PLUGIN-TAHR-1...
    plugin.py check FOLDER   "ok - ..." and "not ok - ..." lines; the folder has RSA identities in
                             rsa2048, rsa3072 and rsa4104
"""

import base64
import os
import secrets
import select
import subprocess
import sys

import elgamal_model as model

PLUGIN = "age-plugin-tahr"


def encode(data):
    return base64.b64encode(data).decode().rstrip("=")


def stanza(*args, body=b""):
    text = encode(body)
    lines = [text[i : i + 64] for i in range(0, len(text), 64)]
    if len(text) % 64 == 0:
        lines.append("")
    return ("-> " + " ".join(args) + "\n" + "\n".join(lines) + "\n").encode()


def identity_text(data):
    return model.bech32_encode("age-plugin-tahr-", data).upper()


class Plugin:
    def __init__(self, machine):
        self.process = subprocess.Popen(
            [PLUGIN, "--age-plugin=" + machine], bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def send(self, data):
        while data:
            data = data[self.process.stdin.write(data) :]

    def line(self):
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), "the plugin left"
        return line[:-1].decode("ascii")

    def hear(self):
        """The next stanza, strictly: (arguments, body)."""
        line = self.line()
        assert line.startswith("-> "), line
        text = ""
        while True:
            part = self.line()
            assert len(part) <= 64, part
            text += part
            if len(part) < 64:
                break
        body = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        assert encode(body) == text, text
        return line[3:].split(" "), body

    def silent(self):
        """Nothing comes before the answer."""
        assert not select.select([self.process.stdout], [], [], 0.05)[0]

    def phase(self, answer=stanza("ok")):
        """The plugin's phase: its stanzas, each answered."""
        heard = []
        while True:
            heard.append(self.hear())
            if heard[-1] == (["done"], b""):
                return heard[:-1]
            if len(heard) < 4:
                self.silent()
            self.send(answer)

    def end(self):
        self.process.stdin.close()
        rest, errors = self.process.stdout.read(), self.process.stderr.read()
        return self.process.wait(20), rest, errors.decode()


def talk(machine, *commands, answer=stanza("ok"), done=stanza("done")):
    plugin = Plugin(machine)
    plugin.send(b"".join(commands) + done)
    heard = plugin.phase(answer)
    code, rest, errors = plugin.end()
    assert (code, rest, errors) == (0, b"", ""), (code, rest, errors)
    return heard


def only_errors(heard, *about):
    """Nothing but these errors, each with a line for people."""
    assert [args for args, _ in heard] == [["error", *a] for a in about], heard
    for _, body in heard:
        text = body.decode("ascii")
        assert text.isprintable() and 10 < len(text) < 300, text
    return [body.decode() for _, body in heard]


def dies(machine, data):
    """One line of error and a code, without a crash."""
    plugin = Plugin(machine)
    try:
        plugin.send(data)
    except BrokenPipeError:
        pass
    try:
        plugin.process.stdin.close()
    except BrokenPipeError:
        pass
    out, errors = plugin.process.stdout.read(), plugin.process.stderr.read().decode()
    code = plugin.process.wait(20)
    assert code in (1, 3), (code, errors)
    assert errors.count("\n") == 1 and errors.startswith(PLUGIN + ": error: "), errors
    assert errors[:-1].isprintable(), errors
    return out


# --- Keys ---


class Keys:
    def __init__(self, folder):
        self.group = model.group_of_name("ffdhe2048")
        self.x = 1 + secrets.randbelow(2**256 - 1)
        self.public = model.Public(self.group, pow(2, self.x, self.group.p))
        self.recipient = self.public.recipient()
        self.identity = model.identity(self.group, self.x)
        for name in ("rsa2048", "rsa3072", "rsa4104"):
            with open(os.path.join(folder, name)) as file:
                setattr(self, name, file.read().strip())

    def wrap(self, file_key):
        """(arguments, body) of a stanza, by the model."""
        w = model.wrap(self.public, file_key, 1 + secrets.randbelow(2**256 - 1))
        return ["tahr/elgamal", encode(w["Tag"]), encode(w["C1"])], w["Body"]


GREASE = (stanza("grease-1f") + stanza("grease-2", "a", "b", body=bytes(100))
          + stanza("add-something", body=bytes(48)))


# --- recipient-v1 ---


def wraps(keys):
    """every file key to every key, by index, after the labels"""
    file_keys = [secrets.token_bytes(16) for _ in range(2)]
    heard = talk("recipient-v1", GREASE, stanza("add-recipient", keys.recipient),
                 stanza("wrap-file-key", body=file_keys[0]), stanza("add-identity", keys.rsa3072),
                 GREASE, stanza("extension-labels"), stanza("add-identity", keys.identity),
                 stanza("wrap-file-key", body=file_keys[1]), GREASE)
    assert heard.pop(0) == (["labels"], b"")
    assert [args[:3] for args, _ in heard] == [
        ["recipient-stanza", file, kind] for file in "01"
        for kind in ("tahr/elgamal", "ssh-rsa", "tahr/elgamal")], heard
    for args, body in heard:
        if args[2] == "ssh-rsa":
            assert len(body) == 384
            back = talk("identity-v1", stanza("add-identity", keys.rsa3072), stanza(*args, body=body))
            assert back == [(["file-key", args[1]], file_keys[int(args[1])])], back
        else:
            words = [word.encode() for word in args[3:]]
            assert model.unwrap(keys.group, keys.x, words, body) == file_keys[int(args[1])]


def no_labels(keys):
    """no labels unless asked for"""
    heard = talk("recipient-v1", stanza("add-recipient", keys.recipient),
                 stanza("wrap-file-key", body=bytes(16)))
    assert [args[0] for args, _ in heard] == ["recipient-stanza"], heard


def other_answers(keys):
    """unsupported and fail are answers, too"""
    for answer in ("unsupported", "fail", "whatever"):
        heard = talk("recipient-v1", stanza("add-recipient", keys.recipient),
                     stanza("extension-labels"), stanza("wrap-file-key", body=bytes(16)),
                     answer=stanza(answer, "x", body=b"y"))
        assert [args[0] for args, _ in heard] == ["labels", "recipient-stanza"], heard


def warns(keys):
    """a message about a key that others refuse"""
    heard = talk("recipient-v1", stanza("add-identity", keys.rsa4104),
                 stanza("wrap-file-key", body=bytes(16)))
    assert [args[0] for args, _ in heard] == ["msg", "recipient-stanza"], heard
    assert b"4096" in heard[0][1]


def bad_recipients(keys):
    """an error for each bad string, by its index, and no stanza"""
    good = keys.recipient
    bad = [good[:-1] + ("q" if good[-1] != "q" else "p"), good.upper(), "age1tahr1", "x",
           keys.identity, "age1" + "q" * 58, good[:100]]
    commands = [stanza("add-recipient", good)] + [stanza("add-recipient", text) for text in bad]
    bad_identities = [keys.identity.lower(), keys.recipient, "AGE-PLUGIN-TAHR-1",
                      "AGE-SECRET-KEY-1" + "Q" * 58, identity_text(b"\3")]
    commands += [stanza("add-identity", text) for text in [keys.identity, *bad_identities]]
    heard = talk("recipient-v1", *commands, stanza("wrap-file-key", body=bytes(16)))
    only_errors(heard, *[("recipient", str(1 + i)) for i in range(len(bad))],
                *[("identity", str(1 + i)) for i in range(len(bad_identities))])


def empty_identity(keys):
    """-j, which sends an identity without data, gets an error that says what to do"""
    empty = identity_text(b"")
    for machine, more in (("recipient-v1", stanza("wrap-file-key", body=bytes(16))),
                          ("identity-v1", stanza("recipient-stanza", "0", "X25519", "a"))):
        text, = only_errors(talk(machine, stanza("add-identity", empty), more), ("identity", "0"))
        assert "-i" in text, text


def bad_commands(keys):
    """commands out of shape"""
    key, recipient = stanza("wrap-file-key", body=bytes(16)), stanza("add-recipient", keys.recipient)
    for commands in ([recipient], [key], [], [recipient, stanza("wrap-file-key")],
                     [recipient, stanza("wrap-file-key", body=bytes(17))],
                     [recipient, key, stanza("wrap-file-key", body=bytes(15))],
                     [recipient, key, stanza("add-recipient")],
                     [recipient, key, stanza("add-recipient", keys.recipient, "x")],
                     [recipient, key, stanza("add-identity", keys.identity, body=b"x")]):
        heard = talk("recipient-v1", *commands)
        only_errors(heard, *[("internal",)] * (2 if commands == [] else 1))


def too_many_wraps(keys):
    """4096 stanzas are too many"""
    heard = talk("recipient-v1", stanza("add-recipient", keys.recipient) * 65,
                 stanza("wrap-file-key", body=bytes(16)) * 64)
    only_errors(heard, ("internal",))


# --- identity-v1 ---


def unwraps(keys):
    """the file keys of several files, among stanzas of others"""
    file_keys = [secrets.token_bytes(16) for _ in range(3)]
    heard = talk("recipient-v1", stanza("add-identity", keys.rsa2048),
                 stanza("wrap-file-key", body=file_keys[1]))
    rsa_args, rsa_body = heard[0]
    commands = [GREASE, stanza("recipient-stanza", "0", "X25519", encode(bytes(32)), body=bytes(32))]
    args, body = keys.wrap(file_keys[0])
    commands += [stanza("recipient-stanza", "0", *args, body=body)]
    commands += [stanza("add-identity", keys.rsa2048), GREASE]
    commands += [stanza("recipient-stanza", "1", *rsa_args[2:], body=rsa_body)]
    commands += [stanza("add-identity", keys.identity)]
    commands += [stanza("recipient-stanza", "2", *["x"] * 126, body=b"x")]
    args, body = keys.wrap(file_keys[2])
    commands += [stanza("recipient-stanza", "2", *args, body=body)] * 2
    heard = talk("identity-v1", *commands)
    assert heard == [(["file-key", str(i)], key) for i, key in enumerate(file_keys)], heard


def not_ours(keys):
    """silence about what is for others"""
    stranger = Keys.__new__(Keys)
    stranger.group, stranger.public = keys.group, model.Public(keys.group, 4)
    args, body = stranger.wrap(bytes(16))
    heard = talk("identity-v1", stanza("add-identity", keys.identity),
                 stanza("recipient-stanza", "0", *args, body=body),
                 stanza("recipient-stanza", "0", "ssh-rsa", "AAAAAA", body=bytes(256)),
                 stanza("recipient-stanza", "7", "tahr/other", body=b"x"))
    assert heard == [], heard
    assert talk("identity-v1", stanza("add-identity", keys.identity)) == []


def bad_stanzas(keys):
    """an error for each file with a bad stanza, by its index; the other files are opened"""
    args, body = keys.wrap(bytes(range(16)))
    good = lambda file: stanza("recipient-stanza", file, *args, body=body)
    corrupt = body[:-1] + bytes([body[-1] ^ 1])
    heard = talk("identity-v1", stanza("add-identity", keys.identity),
                 good("0"), stanza("recipient-stanza", "0", *args[:2], body=body),
                 stanza("recipient-stanza", "1", "x"), stanza("recipient-stanza", "1", *args, body=corrupt),
                 good("2"),
                 stanza("recipient-stanza", "3", *args, body=corrupt), good("3"),
                 stanza("recipient-stanza", "4", *args, body=body + b"x"),
                 good("5"))
    errors = [(a, b) for a, b in heard if a[0] == "error"]
    only_errors(errors, ("stanza", "0", "1"), ("stanza", "1", "1"), ("stanza", "4", "0"))
    rest = [(a, b) for a, b in heard if a[0] != "error"]
    assert rest == [(["file-key", i], bytes(range(16))) for i in "235"], rest


def bad_identities(keys):
    """no file key where one identity is bad"""
    args, body = keys.wrap(bytes(16))
    commands = [stanza("add-identity", keys.identity), stanza("recipient-stanza", "0", *args, body=body)]
    for bad in ("AGE-PLUGIN-TAHR-1QQ", "AGE-SECRET-KEY-1QQ", keys.recipient):
        heard = talk("identity-v1", *commands, stanza("add-identity", bad))
        only_errors(heard, ("identity", "1"))
    only_errors(talk("identity-v1", commands[1]), ("internal",))


def bad_indices(keys):
    """files are numbered and in order"""
    args, body = keys.wrap(bytes(16))
    for first, second in (("1", "0"), ("0", "x"), ("0", "-1"), ("0", "9" * 30), ("0", "1x")):
        heard = talk("identity-v1", stanza("add-identity", keys.identity),
                     stanza("recipient-stanza", first, *args, body=body),
                     stanza("recipient-stanza", second, *args, body=body))
        only_errors(heard, ("internal",))
    only_errors(talk("identity-v1", stanza("add-identity", keys.identity),
                     stanza("recipient-stanza", "0")), ("internal",))


# --- Hostile clients ---


def garbage(keys):
    """what is no conversation: one line of error, nothing said"""
    recipient = stanza("add-recipient", keys.recipient)
    for machine in ("recipient-v1", "identity-v1"):
        for data in (b"", b"\n", b"x", b"->", b"-> ", b"-> \n\n", b"->x\n\n", b"-> done", b"-> done\n",
                     b"-> done\r\n\r\n", b"-> done \n\n", b"-> a  b\n\n", b"-> \x00\n\n", b"-> \xff\n\n",
                     b"\xff\xfe", b"-> a\n!\n", b"-> a\nA\n", b"-> a\nAB\n", b"-> a\nAA==\n",
                     b"-> a\n" + b"A" * 65 + b"\n", b"-> a\n" + b"A" * 64 + b"\n-> done\n\n",
                     recipient, recipient[:-1], recipient[:50], recipient + b"--- \n",
                     b"-> " + b"x " * 130 + b"x\n\n", b"-> " + b"x" * 3000000,
                     b"-> a\n" + (b"A" * 64 + b"\n") * 40000, stanza("x", body=bytes(60000)) * 250):
            out = dies(machine, data)
            assert out == b"", (data[:40], out[:100])


def too_many_commands(keys):
    """4097 commands"""
    dies("recipient-v1", stanza("wrap-file-key") * 4097 + stanza("done"))
    dies("identity-v1", stanza("recipient-stanza", "0", "x") * 4097 + stanza("done"))


def too_much(keys):
    """17 MiB of commands that would be ignored"""
    commands = stanza("add-recipient", keys.recipient) + stanza("wrap-file-key", body=bytes(16))
    talk("recipient-v1", commands, stanza("x", body=bytes(50000)) * 200)
    assert dies("recipient-v1", commands + stanza("x", body=bytes(50000)) * 270 + stanza("done")) == b""


def client_leaves(keys):
    """a client that leaves after an error"""
    out = dies("recipient-v1", stanza("add-recipient", "x") + stanza("done"))
    assert out.startswith(b"-> error recipient 0\n") and out.count(b"->") == 1, out


def client_hangs_up(keys):
    """a client that closes both ends"""
    plugin = Plugin("recipient-v1")
    plugin.process.stdout.close()
    plugin.send(stanza("add-recipient", keys.recipient) + stanza("wrap-file-key", body=bytes(16))
                + stanza("done"))
    plugin.process.stdin.close()
    assert plugin.process.wait(20) == 3


CHECKS = (wraps, no_labels, other_answers, warns, bad_recipients, empty_identity, bad_commands,
          too_many_wraps, unwraps, not_ours, bad_stanzas, bad_identities, bad_indices, garbage,
          too_many_commands, too_much, client_leaves, client_hangs_up)


def main(argv):
    if argv[1:] == ["identity"]:
        print(identity_text(b"\2" + sys.stdin.buffer.read()))
    elif argv[1:2] == ["check"] and len(argv) == 3:
        keys = Keys(argv[2])
        for check in CHECKS:
            try:
                check(keys)
                print("ok - protocol:", check.__doc__, flush=True)
            except Exception as error:  # a failed test, whatever it is
                print("not ok - protocol:", check.__doc__)
                print("    " + repr(error)[:2000])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv)
