#!/bin/bash
# The command line: what age's flags mean, and what is refused with which exit code.
. "${0%/*}/shell"

tahr-key new -o elg.key 2>elg.log
tahr-key new -t rsa -b 2048 -o rsa.key 2>rsa.log
sed -n 's/^public key: //p' elg.log >elg.pub
sed -n 's/^public key: //p' rsa.log >rsa.pub
tahr-key pub elg.key >elg.pem
tahr-key pub rsa.key >rsa.pem
ELG=$(cat elg.pub) RSA=$(cat rsa.pub)
echo "a line of text" >text

seal() { # tahr, but what it makes is new
    rm -f sealed
    tahr "$@"
}

opens() { # opens key: that the sealed file is the text
    tahr -d -i "$1" sealed | cmp - text
}

# --- help and version ---

for program in tahr tahr-key; do
    run $program --help
    is "$program --help exits 0" $rc 0
    check "$program --help says how to use it" grep -q "$program" out
    run $program --version
    is "$program --version" "$rc $(cat out)" "0 $program $(sed -n 's/.*TAHR_VERSION "\(.*\)"/\1/p' "$top/crypto/tahr.h")"
done
run tahr-key new --help
is "tahr-key new --help exits 0" $rc 0

# --- recipients ---

for r in "$ELG" "$RSA" elg.pub rsa.pub elg.pem rsa.pem; do
    seal -r "$r" -o sealed text
    case $r in *rsa*) key=rsa.key ;; *) key=elg.key ;; esac
    check "-r $(head -c 30 <<<"$r")" opens $key
done
{ echo "# friends" && echo && cat elg.pub && printf '%s\r\n' "$RSA"; } >friends
seal -R friends -o sealed text
check "-R: the first of a file" opens elg.key
check "-R: the second of a file" opens rsa.key
seal -R - -o sealed text <friends
check "-R -" opens rsa.key
seal -r "$ELG" -r "$RSA" -o sealed text
check "two -r, one key" opens elg.key
check "two -r, the other key" opens rsa.key
seal -r "$ELG" -r "$ELG" -R elg.pub -o sealed text
check "a recipient given three times" opens elg.key
seal -i elg.key -o sealed text
check "-i without -e" opens elg.key
seal -e -i - -o sealed text <rsa.key
check "-e -i -" opens rsa.key
cat elg.key rsa.key >both.key
chmod 600 both.key
seal -R friends -o sealed text
check "an identity file with two keys" opens both.key
seal -r "$RSA" -o sealed text
check "several -i" test "$(tahr -d -i elg.key -i rsa.key sealed)" = "$(cat text)"
check "-i - and a file" test "$(tahr -d -i - sealed <rsa.key)" = "$(cat text)"
check "the message from standard input" test "$(tahr -d -i rsa.key <sealed)" = "$(cat text)"
check "the message from -" test "$(tahr -d -i rsa.key - <sealed)" = "$(cat text)"

# --- the forms of options ---

seal --encrypt --recipient "$ELG" --output sealed text
check "long options" opens elg.key
seal --recipient="$ELG" --output=sealed --armor text
check "long options with =" opens elg.key
is "--armor" "$(head -n 1 sealed)" "-----BEGIN AGE ENCRYPTED FILE-----"
seal text -r "$ELG" -o sealed
check "options after the file" opens elg.key
seal -eao sealed -r"$ELG" text
check "short options in one" opens elg.key
is "-a in one" "$(head -n 1 sealed)" "-----BEGIN AGE ENCRYPTED FILE-----"
seal -r="$ELG" -o=sealed text
check "short options with =, as in age" opens elg.key
cp text ./-text
seal -r "$ELG" -o sealed -- -text
check "-- ends the options" opens elg.key
check "-- with nothing after it" test "$(tahr -d -i elg.key -- <sealed)" = "$(cat text)"
check "--decrypt --identity" test "$(tahr --decrypt --identity elg.key sealed)" = "$(cat text)"
check "combined -di" test "$(tahr -di elg.key sealed)" = "$(cat text)"
seal --recipients-file=friends -o sealed text
check "--recipients-file" opens rsa.key
seal -f -r "$ELG" -o sealed text
check "-f is accepted" opens elg.key

# --- --test ---

run tahr --test -i elg.key sealed
is "--test on a good file: exit 0, silent" "$rc$(cat out err)" 0
run tahr -d --test -i elg.key sealed
is "--test with -d" "$rc$(cat out err)" 0
: >standard
tahr --test -i elg.key sealed <>standard >&0 2>&0
check "--test writes to no standard stream" test ! -s standard
{ cat sealed && echo; } >longer
refused "--test on a bad file" 1 tahr --test -i elg.key longer
refused "--test with the wrong key" 4 tahr --test -i rsa.key sealed

# --- usage errors ---

usage() { # usage "what" pattern arguments-of-tahr...
    local what=$1 pattern=$2
    shift 2
    refused "$what" 2 tahr "$@"
    says "$what: it says so" "$pattern"
}

usage "nothing at all" "no recipient"
usage "no recipient" "hint: -r takes" text
usage "no identity" "no identity" -d sealed
usage "--test without identity" "no identity" --test sealed
usage "an unknown long option" "unknown option --bogus" --bogus
usage "an unknown short option" "unknown option -z" -z
usage "a long option with a value it does not take" "takes no value" --armor=yes -r "$ELG" text
usage "an option without its value" "needs a value" -r
usage "a long option without its value" "needs a value" --output
usage "an abbreviated long option" "unknown option --recip" --recip "$ELG"
usage "an empty output" "empty" -r "$ELG" -o "" text
usage "an empty output, with =" "empty" -r "$ELG" --output= text
usage "an empty recipient" "empty" -r "" text
usage "an empty identity" "empty" -d -i "" sealed
usage "an empty input" "empty" -r "$ELG" ""
usage "two inputs" "more than one input" -r "$ELG" text friends
usage "-e and -d" "cannot be used" -e -d -i elg.key text
usage "-e and --test" "cannot be used" -e --test -i elg.key text
usage "-d and -a" "armor is recognized" -d -a -i elg.key sealed
usage "-d and -r" "give your private key with -i" -d -r "$ELG" sealed
usage "-d and -R" "give your private key with -i" -d -R friends sealed
usage "--test and -o" "writes nothing" --test -i elg.key -o plain sealed
usage "standard input twice" "two purposes" -d -i - - <elg.key
usage "standard input for two sources" "two purposes" -R - -i - text <friends
usage "standard input by another name" "two purposes" -R /dev/stdin <friends
usage "standard input by another name, second" "two purposes" -R - /dev/stdin <friends
refused "standard input by another name, a pipe" 2 sh -c 'cat elg.pub | tahr -R /dev/stdin'
refused "standard input by another name, twice" 2 sh -c 'cat elg.pub | tahr -R /dev/stdin /dev/stdin'
seal -R friends -r friends -o sealed text <friends
check "standard input that is not read does not matter" opens rsa.key

for args in "" "make" "new extra" "new -t dsa" "new -t rsa -g ffdhe2048" "new -t rsa --fresh-group" \
    "new -b 2048 -g ffdhe2048" "new -b many" "new -b 1024" "new -b -1" "new -g nosuch" "new -t rsa -b 2049" \
    "new -t rsa -b 1024" "new -t x25519 -b 255" "new -t x25519 -g ffdhe2048" "new -t x25519 --fresh-group" "new -z" "pub -F nosuch elg.key" "pub one two" "show one two" "check --secret elg.key" \
    "new -t" "pub --secret"; do
    refused "usage: tahr-key $args" 2 tahr-key $args
done
refused "a comment of two lines" 2 tahr-key new -C "$(printf 'one\ntwo')"
refused "a comment with a control character" 2 tahr-key new -C "$(printf 'one\302\233two')"
refused "a comment of 256 bytes" 2 tahr-key new -C "$(printf '%256d' 1)"
run tahr-key new -g ffdhe2048 -C "$(printf '%255d' 1)"
check "a comment of 255 bytes" grep -qx "# $(printf '%255d' 1)" out
refused "a size that no group has" 2 tahr-key new -b 2049
says "a size that no group has: it says which have" "2048, 3072, 4096, 6144 and 8192"

# --- keys in the wrong place ---

wrong() { # wrong "what" pattern arguments-of-tahr...
    local what=$1 pattern=$2
    shift 2
    refused "$what" 5 tahr "$@"
    says "$what: it says so" "$pattern"
}

wrong "a private key as -r" "private key" -r elg.key text
wrong "a private key in -R" "private key" -R rsa.key text
wrong "a public key file as -i" "public key" -d -i elg.pem sealed
wrong "an ssh public key file as -i" "public key" -d -i rsa.pub sealed
wrong "a public key as -i" "public key" -d -i "$ELG" sealed
wrong "an ssh-rsa line as -i" "public key" -d -i "$RSA" sealed
SECRET=AGE-PLUGIN-TAHR-1QQQSYQCYQ5RQWZQFPG9
for letter in r i; do
    wrong "a private key in the arguments, -$letter" "command line" -$letter $SECRET text
    check "and it is not repeated" sh -c "! grep -q $SECRET err"
done
wrong "a malformed recipient" "age1tahr1" -r "${ELG%?}b" text
wrong "a malformed ssh-rsa line" "ssh-rsa" -r "ssh-rsa AAAA" text
wrong "a file without keys" "text" -r text text
: >empty
wrong "an empty recipients file" "empty" -R empty text
wrong "an empty identity file" "empty" -d -i empty sealed
{ cat elg.pub && echo rubbish; } >friends
wrong "one bad line in a file" "line 2" -R friends text
yes "$RSA" | head -n 1024 >many
is "a file of 1024 keys" "$(tahr-key pub many | grep -c BEGIN)" 1024
{ cat rsa.pub many; echo rubbish; } >toomany
wrong "a file of 1025 keys" "line 1025: there are more than 1024" -R toomany text
head -c 20000000 /dev/zero >huge
wrong "a file too large for keys" "too large" -R huge text

# --- files that are not there ---

missing() {
    local what=$1 pattern=$2
    shift 2
    refused "$what" 3 tahr "$@"
    says "$what: it says so" "$pattern"
}

missing "no such input" "nowhere: No such file" -r "$ELG" nowhere
missing "no such recipients file" "nowhere: No such file" -R nowhere text
missing "no such identity" "nowhere: No such file" -d -i nowhere sealed
missing "-r with neither key nor file" "-r takes" -r nowhere text
missing "a folder as input" "Is a directory" -r "$ELG" .
missing "a folder of recipients" "Is a directory" -R . text
missing "control bytes in a name are not shown" 'no\?where\?\[31m' -r "$ELG" "$(printf 'no\nwhere\033[31m')"
missing "nor are those of UTF-8" 'no\?\?where' -r "$ELG" "$(printf 'no\302\233where')" # the C1 code CSI
missing "nor single bytes" 'no\?where' -r "$ELG" "$(printf 'no\233where')"
run tahr -r "$ELG" "noüwhere世"
says "letters are" 'noüwhere世'
run tahr-key check text elg.key rsa.key
is "check goes on after a bad file" "$rc $(cat out)" "5 text: unreadable: this line is neither a key nor a comment
elg.key: good
rsa.key: good"
refused "check: no such file" 3 tahr-key check nowhere
run tahr-key check nowhere elg.key
is "check goes on after a missing file" "$rc $(cat out)" "3 elg.key: good"
run tahr-key check nowhere text elg.key
is "check: a bad key outweighs a missing file" "$rc $(tail -1 out)" "5 elg.key: good"

# --- warnings ---

cp elg.key open.key
chmod 644 open.key
run tahr -d -i open.key sealed
is "a private key that others can read works" $rc 0
says "and draws a warning" "warning: open.key: others can read"
says "with a hint" "hint: chmod 600 open.key"
run tahr -d -i elg.key sealed
is "one that others cannot read is silent" "$rc$(cat err)" 0
run tahr -R elg.pub -o sealed text
is "a public key that others can read is silent" "$rc$(cat err)" 0
run tahr-key show open.key
says "tahr-key warns too" "warning: open.key: others can read"

finish
