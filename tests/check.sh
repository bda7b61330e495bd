#!/bin/bash
# tahr-key check as people and programs meet it: a line for each finding, JSON, exit codes.
. "${0%/*}/shell"

openssl genrsa -out good 2048 2>log
openssl genrsa -out short 1024 2>log
openssl rsa -in short -pubout -out short.pub 2>log
openssl genpkey -algorithm DHX -pkeyopt group:dh_2048_256 -out rfc5114 2>log
chmod 600 good short rfc5114
echo "# nothing" >empty
echo "Friends, Romans" >text
cat short.pub text good >several
chmod 600 several

# findings "what" "names" command...: exit code 5, these lines alone, and one line of error.
findings() {
    local what=$1 names=$2
    shift 2
    run "$@"
    is "$what" "$rc $(sed -E 's/^([^:]*: [a-z0-9-]+).*/\1/' out)" "5 $names"
    check "$what: one line of error" one_error
}
findings "a short key" "short: rsa-short" tahr-key check short
check "what to do" grep -q "; make a new key: tahr-key new -t rsa$" out
findings "its public half" "short.pub: rsa-short" tahr-key check short.pub
findings "a DSA-type group" "rfc5114: elgamal-dsa-group" tahr-key check rfc5114
check "its name" grep -q "(rfc5114-2048-256)" out
findings "no key" "empty: unreadable" tahr-key check empty
findings "a line that is no key does not hide the next key" "several, line 1: rsa-short
several, line 7: unreadable
several, line 8: good" tahr-key check several
findings "good and bad" "good: good
short: rsa-short" tahr-key check good short
findings "from standard input" "-: rsa-short" sh -c 'tahr-key check <short'
run tahr-key check good
is "a good key" "$rc $(cat out)" "0 good: good"
for file in short short.pub rfc5114; do refused "$file may not be used" 5 tahr-key show $file; done
chmod 644 short
run tahr-key check short
says "others can read it" "warning: short: others can read"

# --- primes in common ---

cat >shared.py <<'EOP'
import base64, random
def word(b): return len(b).to_bytes(4, "big") + b
def mpint(n): return word(n.to_bytes(n.bit_length() // 8 + 1, "big"))
def prime(bits):
    while True:
        p = random.getrandbits(bits) | 3 << (bits - 2) | 1
        if all(pow(a, p - 1, p) == 1 for a in (2, 3, 5)): return p
p = [prime(1024) for i in range(5)]
for a, b in ((0, 1), (2, 3), (0, 4)):
    wire = word(b"ssh-rsa") + mpint(65537) + mpint(p[a] * p[b])
    print("ssh-rsa", base64.b64encode(wire).decode())
EOP
if command -v python3 >log; then
    python3 shared.py >shared
    run tahr-key check shared
    is "alone they are good" "$rc $(grep -c good out)" "0 3"
    findings "two keys with one prime" "shared, line 1: rsa-shared-prime
shared, line 2: good
shared, line 3: rsa-shared-prime" tahr-key check --batch-gcd shared
    check "with which" grep -q "^shared, line 1: .*(shared, line 3)" out
    cp several 'a "quoted" name\'
    tahr-key check --json --batch-gcd shared rfc5114 'a "quoted" name\' >json 2>err
    is "JSON: exit code" $? 5
    cat >read.py <<'EOP'
import json
keys = json.load(open("json"))
for k in keys:
    print(k["file"], k["line"], k.get("type"), k.get("bits"), k.get("private"), k.get("group"), k["good"],
          " ".join(f["name"] + ("" if "with" not in f else "=%(file)s:%(line)d" % f["with"]) for f in k["findings"]))
    assert all(f["text"] for f in k["findings"])
EOP
    is "JSON" "$(python3 read.py)" 'shared 1 RSA 2048 False None False rsa-shared-prime=shared:3
shared 2 RSA 2048 False None True 
shared 3 RSA 2048 False None False rsa-shared-prime=shared:1
rfc5114 1 ElGamal 2048 True rfc5114-2048-256 False elgamal-dsa-group
a "quoted" name\ 1 RSA 1024 False None False rsa-short
a "quoted" name\ 7 None None None None False unreadable
a "quoted" name\ 8 RSA 2048 True None True '
    tahr-key new -g ffdhe2048 -C 'a "b" \' -o elgamal 2>log
    sed 's/$/ a "b" \\/' <(tahr-key pub -F ssh good) >line
    cat >show.py <<'EOP'
import json, sys
for line in sys.stdin:
    k = json.loads(line)
    print(k["type"], k["private"], k["bits"], k.get("group"), k.get("comment"), k["fingerprint"][:7],
          *(int(k[x], 16).bit_length() if x != "e" else k[x] for x in "negpy" if x in k))
EOP
    is "show --json, RSA" "$(tahr-key show --json line | python3 show.py)" \
        'RSA False 2048 None a "b" \ SHA256: 2048 65537'
    is "its n" "$(tahr-key show --json good | grep -io '"n": "[0-9a-f]*' | cut -c7- | tr a-f A-F)" \
        "$(openssl rsa -in good -noout -modulus | cut -d= -f2)"
    is "show --json, ElGamal" "$(tahr-key show --json elgamal | python3 show.py | cut -d' ' -f1-8)" \
        'ElGamal True 2048 ffdhe2048 None SHA256: 2 2048'
    refused "not with --secret" 2 tahr-key show --json --secret good
else
    skip "python3 is not installed" 10
fi

finish
