#!/bin/bash
# --rewrap: other recipients for the same payload, the whole new file or the old one; --inspect.
. "${0%/*}/shell"

for name in alice bob carol; do
    tahr-key new -t x25519 -o $name 2>log
    tahr-key pub $name >$name.pub
done
tahr-key new -o elgamal 2>log
tahr-key new -t rsa -b 2048 -o rsa 2>log
tahr-key pub -F ssh rsa >rsa.pub
tahr-key pub -F age elgamal >elgamal.pub
bytes 300000 >plain

opens() { # opens key [file]
    tahr -d -i "$1" "${2:-sealed}" | cmp - plain
}
payload() { tail -c 300096 "$1"; } # nonce, 300000 bytes, 5 tags

# --- rewrap ---

tahr -R alice.pub -o sealed plain
chmod 640 sealed
cp -p sealed before
tahr --rewrap -i alice -R bob.pub -r "$(cat rsa.pub)" -R elgamal.pub sealed
check "the first new recipient" opens bob
check "the second" opens rsa
check "the third" opens elgamal
refused "not the old one" 4 tahr -d -i alice sealed
is "the mode stands" "$(stat -c %a sealed)" 640
check "the payload is the same" cmp <(payload sealed) <(payload before)
command -v age >log && check "age opens it" sh -c 'age -d -i bob sealed | cmp - plain'
cp before sealed
tahr --rewrap -i bob -i alice -R carol.pub -o new sealed
check "-o: the new file" opens carol new
check "-o: the old one stands" cmp sealed before
tahr --rewrap -i alice -R carol.pub <sealed >new
check "standard input to standard output" opens carol new
tahr --rewrap -i alice -R carol.pub -a -o new sealed
check "-a" sh -c 'head -n 1 new | grep -q BEGIN && tahr -d -i carol new | cmp - plain'
tahr --rewrap -i carol -R bob.pub new
check "armor stays" sh -c 'head -n 1 new | grep -q BEGIN && tahr -d -i bob new | cmp - plain'
ln -s sealed link
tahr --rewrap -i alice -R bob.pub link
check "a link is followed" sh -c '[ -L link ] && tahr -d -i bob sealed | cmp - plain'
rm link

cp before sealed
refused "no identity fits" 4 tahr --rewrap -i bob -R carol.pub sealed
check "the old file stands" cmp sealed before
refused "no recipient" 2 tahr --rewrap -i alice sealed
refused "no identity" 2 tahr --rewrap -R bob.pub sealed
refused "not an age file" 1 tahr --rewrap -i alice -R bob.pub plain
sed 's/^--- ..../--- AAAA/' before >forged
cp forged forged.before
refused "a wrong MAC" 1 tahr --rewrap -i alice -R bob.pub forged
check "the file stands" cmp forged forged.before
refused "the output is the input" 2 tahr --rewrap -i alice -R bob.pub -o sealed sealed
refused "-n and an existing file" 3 tahr --rewrap -n -i alice -R bob.pub -o plain sealed
refused "-p" 2 tahr --rewrap -p -i alice sealed
refused "-d" 2 tahr --rewrap -d -i alice -R bob.pub sealed
refused "-e" 2 tahr --rewrap -e -i alice -R bob.pub sealed
refused "--inspect" 2 tahr --rewrap --inspect -i alice sealed
mkfifo pipe
cat before >pipe &
refused "in the place of a pipe" 2 tahr --rewrap -i alice -R bob.pub pipe
wait
if device full; then
    refused "no room" 3 tahr --rewrap -i alice -R bob.pub -o full sealed
else
    skip "no device of our own"
fi
tidy "no temporary file is left"
(ulimit -f 100 && run tahr --rewrap -i alice -R bob.pub sealed && exit $rc)
check "a file limit: the old file stands" cmp sealed before
tidy "and no temporary file"

# --- inspect ---

tahr -R alice.pub -R elgamal.pub -R rsa.pub -a -o sealed plain
run tahr --inspect -i bob -i elgamal sealed
is "--inspect" "$rc$(cat err)" 0
check "armored" grep -q "v1, armored" out
check "three stanzas" grep -q "3 stanzas" out
check "sizes" grep -qx "plaintext: 300000 bytes" out
is "who opens it" "$(grep 'opened by' out | sed 's/.*-> \([^ ]*\) .*(\(.*\))/\1 \2/')" "tahr/elgamal opened by elgamal"
check "no identity is needed" tahr --inspect sealed
check "from standard input" sh -c 'tahr --inspect <sealed'
if command -v python3 >log; then
    json() { tahr --inspect --json "$@" | python3 -c 'import json, sys
m = json.load(sys.stdin)
print(m["armored"], m["payload_bytes"], m["plaintext_bytes"], [(s["type"], len(s["arguments"]), s["body_bytes"], s["identity"]) for s in m["stanzas"]])'; }
    is "--json" "$(json -i elgamal sealed)" \
        "True 300096 300000 [('X25519', 1, 32, None), ('tahr/elgamal', 2, 32, 'elgamal'), ('ssh-rsa', 1, 256, None)]"
    name=$(printf 'a "quoted" \\ \001 name')
    cp -p alice "$name"
    is "--json escapes names" "$(json -i "$name" sealed | grep -o "X25519[^)]*")" \
        "X25519', 1, 32, 'a \"quoted\" \\\\ \\x01 name'"
else
    skip "python3 is not installed" 2
fi
refused "--inspect of no age file" 1 tahr --inspect plain
refused "--inspect with a wrong MAC" 1 tahr --inspect -i alice forged
refused "--inspect -o" 2 tahr --inspect -o new sealed
refused "--json alone" 2 tahr --json -i alice sealed

finish
