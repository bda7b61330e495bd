#!/bin/bash
# age-plugin-tahr: what it says, without a client (plugin.py), and with the stock age: -r, -R, -i
# with -e and -d, errors that age shows, and no output on failure.
. "${0%/*}/shell"
export PYTHONDONTWRITEBYTECODE=1

# The program itself.
run age-plugin-tahr --version
is "--version" "$rc $(cat out)" "0 age-plugin-tahr $(tahr --version | cut -d' ' -f2)"
run age-plugin-tahr --help
is "--help" "$rc $(head -n 1 out)" "0 Usage:"
bad_call() { # bad_call "what" arguments: exit 2, one line of error and perhaps a hint, no output
    local what=$1
    shift
    run age-plugin-tahr "$@" </dev/null
    is "$what" "$rc $(wc -c <out) $(grep -c '^age-plugin-tahr: error: ' err) $(grep -vc '^age-plugin-tahr: hint: ' err)" "2 0 1 1"
}
bad_call "without a state machine"
bad_call "an unknown state machine" --age-plugin=recipient-v2
bad_call "an operand" --age-plugin=recipient-v1 file
bad_call "an option of tahr" -d
refused "tahr does not take --age-plugin" 2 tahr --age-plugin=recipient-v1

if ! command -v python3 >log; then
    skip "python3 is not installed: no protocol, no identities" 60
    finish
fi

for bits in 2048 3072 4104; do
    openssl genrsa -out pem$bits $bits 2>log
    openssl rsa -in pem$bits -traditional -outform DER 2>log | python3 "$top/tests/plugin.py" identity >rsa$bits
done
timeout 120 python3 "$top/tests/plugin.py" check . >protocol 2>&1
cat protocol
passed=$((passed + $(grep -c '^ok - ' protocol)))
failed=$((failed + $(grep -c '^not ok - ' protocol)))
check "the protocol's checks came to their end" grep -q "closes both ends" protocol

if ! command -v age >log; then
    skip "age is not installed" 50
    finish
fi

SIZES="0 1 65537"
for size in $SIZES; do bytes $size >plain.$size; done

# elgamal.GROUP: an identity with its recipient in a comment, and the recipient in elgamal.GROUP.pub.
for group in ffdhe2048 modp3072; do
    python3 "$top/tests/elgamal_model.py" keygen $group >elgamal.$group
    sed -n 's/^# public key: //p' elgamal.$group >elgamal.$group.pub
done
chmod 600 elgamal.* rsa*
echo "# keys of several kinds" >mixed
age-keygen -o x25519 2>log
cat x25519 rsa2048 elgamal.modp3072 >>mixed

opens() { # opens "what" identity size: age and tahr open sealed
    check "$1: age opens it" sh -c 'age -d -i $1 sealed | cmp - $2' sh $2 plain.$3
    check "$1: tahr opens it" sh -c 'tahr -d -i $1 sealed | cmp - $2' sh $2 plain.$3
}

for group in ffdhe2048 modp3072; do
    key=elgamal.$group
    for size in $SIZES; do
        age -r "$(cat $key.pub)" -o sealed plain.$size
        opens "age -r, $group, $size bytes" $key $size
    done
    age -a -R $key.pub -o sealed plain.65537
    opens "age -a -R, $group" $key 65537
    age -e -i $key -o sealed plain.65537
    opens "age -e -i, $group" $key 65537
    tahr -R $key.pub -o sealed plain.65537
    check "tahr -R, $group: age opens it" sh -c 'age -d -i $1 sealed | cmp - plain.65537' sh $key
done

# RSA identities serve ssh-rsa stanzas: age's own, tahr's, and those of age -e -i.
for bits in 2048 3072 4104; do
    age -e -i rsa$bits -o sealed plain.1 2>log
    opens "age -e -i, an RSA identity of $bits bits" rsa$bits 1
    check "so does its PEM" sh -c 'tahr -d -i $1 sealed | cmp - plain.1' sh pem$bits
done
tahr-key pub -F ssh pem2048 >rsa2048.pub
age -R rsa2048.pub -o sealed plain.65537
opens "age -R, an ssh-rsa line" rsa2048 65537
is "a warning comes through" "$(age -e -i rsa4104 -o sealed plain.1 2>&1 | grep -c 4096)" 1

# Many stanzas, identity files with several keys, and one protected by a passphrase.
age -r "$(age-keygen -y x25519)" -r "$(cat elgamal.ffdhe2048.pub)" -R rsa2048.pub -o sealed plain.65537
opens "one of three recipients" elgamal.ffdhe2048 65537
opens "another" rsa2048 65537
age -r "$(cat elgamal.modp3072.pub)" -o sealed plain.1
check "an identity file with an X25519 key, too" sh -c 'age -d -i mixed sealed | cmp - plain.1'
for i in $(seq 20); do cat elgamal.ffdhe2048.pub; done >many
age -r "$(cat elgamal.modp3072.pub)" -R many -o sealed plain.1
check "the first of 21" sh -c 'age -d -i elgamal.modp3072 sealed | cmp - plain.1'
check "another of 21" sh -c 'age -d -i elgamal.ffdhe2048 sealed | cmp - plain.1'

# --- Errors ---

fails() { # fails "what" pattern command...: age fails, says so, and writes nothing
    local what=$1 pattern=$2
    shift 2
    rm -f opened
    run timeout 20 "$@"
    if [ $rc -eq 1 ] && grep -qE -e "$pattern" err && [ ! -s opened ] && [ ! -s out ]; then
        pass "$what"
    else
        fail "$what" "$*" "exit $rc, expected 1, $pattern and no output" "$(head -c 2000 err)"
    fi
}

age -r "$(cat elgamal.ffdhe2048.pub)" -o sealed plain.1
fails "a file for another key" "no identity matched" age -d -i elgamal.modp3072 -o opened sealed
fails "for another kind of key" "no identity matched" age -d -i rsa2048 -o opened sealed
fails "-d -j tahr" "tahr plugin: .*-i" age -d -j tahr -o opened sealed
fails "-e -j tahr" "tahr plugin: .*-i" age -e -j tahr -o opened plain.1

# Recipients and identities whose encoding is right, but not what it says.
recode() { python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
from elgamal_model import bech32_encode
print(bech32_encode(sys.argv[2], bytes.fromhex(sys.argv[3])))' "$top/tests" "$1" "$2"; }
fails "a recipient in an unknown group" "tahr plugin: " age -r "$(recode age1tahr 7f0102)" -o opened plain.1
fails "an empty recipient" "tahr plugin: " age -r "$(recode age1tahr "")" -o opened plain.1
fails "y = 1" "tahr plugin: .*not valid" age -r "$(recode age1tahr "02$(printf '%0766d' 0)01")" -o opened plain.1
recode age-plugin-tahr- 7f0102 | tr a-z A-Z >unknown
fails "an identity of an unknown type" "tahr plugin: .*type" age -d -i unknown -o opened sealed
fails "to which one encrypts" "tahr plugin: .*type" age -e -i unknown -o opened plain.1

# A stanza that is ours, but corrupt or out of shape.
spoil() { # spoil new: the file sealed with another stanza
    { echo "age-encryption.org/v1"; printf '%b' "$1"; sed -n '/^---/,$p' sealed; } >spoilt
}
tag=$(sed -n 2p sealed | cut -d' ' -f3,4)
spoil "-> tahr/elgamal $tag\n$(printf 'A%.0s' $(seq 43))\n"
fails "a corrupt stanza" "tahr plugin: .*corrupt" age -d -i elgamal.ffdhe2048 -o opened spoilt
spoil "-> tahr/elgamal\n$(printf 'A%.0s' $(seq 43))\n"
fails "a stanza without arguments" "tahr plugin: .*shape" age -d -i elgamal.ffdhe2048 -o opened spoilt
spoil "-> ssh-rsa\nAAAA\n"
fails "an ssh-rsa stanza without arguments" "tahr plugin: .*shape" age -d -i rsa2048 -o opened spoilt
refused "tahr says so, too" 1 tahr -d -i pem2048 spoilt

finish
