#!/bin/bash
# Passphrases: from files and descriptors, at a terminal, in key files, and with age.
. "${0%/*}/shell"

echo "a line of text" >text
printf 'correct horse\n' >pass
printf 'wrong horse\n' >wrong

opens() { # opens passphrase-file [file]
    tahr -d --passphrase-file "$1" "${2:-sealed}" | cmp - text
}

# --- files and descriptors ---

tahr -p --passphrase-file pass -o sealed text
check "a work factor of 18" grep -qaE '^-> scrypt [A-Za-z0-9+/]{22} 18$' sealed
check "--passphrase-file" opens pass
check "2^18 at the limit" tahr --test --passphrase-file pass --max-work-factor 18 sealed
refused "2^18 above the limit" 1 tahr -d --passphrase-file pass --max-work-factor 17 sealed
says "it says so" "work factor"
sed 's/^\(-> scrypt [^ ]*\) 18$/\1 23/' sealed >heavy
refused "2^23" 1 tahr -d --passphrase-file pass heavy
tahr -e -p -a --passphrase-file pass -o armored text
check "armored, with -e" opens pass armored
is "armor" "$(head -n 1 armored)" "-----BEGIN AGE ENCRYPTED FILE-----"

if ! command -v python3 >log; then
    skip "python3 is not installed" 82
    finish
fi

light() { python3 "$top/tests/scrypt_model.py" "$1" 10; } # light passphrase: like tahr -p, but at once

light "correct horse" <text >sealed
check "--passphrase-fd" sh -c 'tahr -d --passphrase-fd 5 sealed 5<pass | cmp - text'
check "--passphrase-fd 0" sh -c 'tahr -d --passphrase-fd 0 sealed <pass | cmp - text'
check "--passphrase-file -" sh -c 'tahr -d --passphrase-file - sealed <pass | cmp - text'
check "from a pipe" sh -c 'printf "correct horse" | tahr -d --passphrase-fd=0 sealed | cmp - text'
check "--test" tahr --test --passphrase-file pass sealed
refused "a wrong passphrase" 4 tahr -d --passphrase-file wrong sealed
says "it says so" "the passphrase is wrong"

# Exactly one newline is lost: of two one stays, a carriage return and spaces always do.
for end in '' '\n' '\n\n' '\r\n' ' \n'; do
    printf "correct horse$end" >ending
    case $end in '' | '\n') want=0 ;; *) want=4 ;; esac
    run tahr -d --passphrase-file ending sealed
    is "a passphrase that ends in '$end'" $rc $want
done

: >none
refused "an empty passphrase" 2 tahr -p --passphrase-file none text
echo >newline
refused "nothing but a newline" 2 tahr -p --passphrase-file newline text
head -c 1024 /dev/zero | tr '\0' x >long
light "$(cat long)" <text >longest
check "a passphrase of 1024 bytes" opens long longest
echo >>long
check "and a newline" opens long longest
echo >>long
refused "one of 1025" 2 tahr -d --passphrase-file long longest
refused "no such file" 3 tahr -d --passphrase-file nowhere sealed
refused "no such descriptor" 3 tahr -d --passphrase-fd 77 sealed
refused "the output is the passphrase's file" 2 tahr -p --passphrase-file pass -o pass text
is "which stands" "$(cat pass)" "correct horse"

# --- usage ---

tahr-key new -t x25519 -o key 2>log
refused "-p and -r" 2 tahr -p -r "$(tahr-key pub key)" text
refused "-p and -i" 2 tahr -p -i key text
refused "-p and -d" 2 tahr -p -d sealed
refused "-p and --test" 2 tahr -p --test sealed
refused "two passphrases" 2 tahr -p --passphrase-file pass --passphrase-file pass text
refused "stdin for two purposes" 2 tahr -p --passphrase-fd 0 -
for number in x -1 "" 5x 99999999; do refused "--passphrase-fd '$number'" 2 tahr -d --passphrase-fd "$number" sealed; done
for number in 0 31 x "" 18.; do refused "--max-work-factor '$number'" 2 tahr -d --max-work-factor "$number" sealed; done

# --- keys and passphrases ---

refused "another key for a message under a passphrase" 4 tahr -d -i key sealed
says "it says so" "encrypted with a passphrase"
check "a key and a passphrase" sh -c 'tahr -d -i key --passphrase-file pass sealed | cmp - text'
tahr -r "$(tahr-key pub key)" -o keyed text
check "a passphrase and a key" sh -c 'tahr -d --passphrase-file pass -i key keyed | cmp - text'
refused "no key for a message to one" 2 tahr -d --passphrase-file pass keyed

# --- key files under a passphrase ---

light "correct horse" <key >locked
armored() { # the same bytes, armored
    echo "-----BEGIN AGE ENCRYPTED FILE-----" && base64 -w 64 "$1" && echo "-----END AGE ENCRYPTED FILE-----"
}
for armor in "" armored; do
    [ -z "$armor" ] || { armored locked >new && mv new locked; }
    check "-i of a file under a passphrase $armor" sh -c 'tahr -d --passphrase-file pass -i locked keyed | cmp - text'
    refused "with a wrong passphrase $armor" 4 tahr -d --passphrase-file wrong -i locked keyed
    tahr -e --passphrase-file pass -i locked -o again text
    check "encrypting with it $armor" sh -c 'tahr -d -i key again | cmp - text'
    is "tahr-key pub $armor" "$(tahr-key pub --passphrase-file pass locked)" "$(tahr-key pub key)"
    refused "tahr-key pub with a wrong passphrase $armor" 4 tahr-key pub --passphrase-file wrong locked
    check "tahr-key check $armor" tahr-key check --passphrase-fd 6 locked 6<pass
done
chmod 644 locked
run tahr-key show --passphrase-file pass locked
is "others may read a file under a passphrase" "$rc $(cat err)" "0 "
light "correct horse" <text >locked
refused "no key in it" 5 tahr -d --passphrase-file pass -i locked keyed
refused "a file for a key, as a key" 5 tahr -d --passphrase-file pass -i keyed keyed

# --- at a terminal ---

terminal() { # terminal [prompt answer]... -- command...: leaves what was shown in out, the exit code in rc
    "$top/tests/terminal.py" "$@" >out 2>err
    rc=$?
}

quiet() { # quiet "what" code: the echo is back, and nothing that was typed was shown
    is "$1: exit $2, and nothing shown" "$rc $(tail -n 1 out) $(grep -c horse out)" "$2 echo on 0"
}

terminal Enter 'correct horse\n' Repeat 'correct horse\n' -- tahr -p -o sealed text
quiet "encrypting" 0
check "what was typed is the passphrase" opens pass
light "correct horse" <text >sealed
terminal "Enter passphrase for sealed" 'correct horse\n' -- tahr -d -o plain sealed
quiet "decrypting" 0
check "the message" cmp plain text
terminal "for standard input" 'correct horse\n' -- sh -c 'tahr -d <sealed >plain'
quiet "standard input is the message" 0
rm plain
terminal Enter 'wrong horse\n' -- tahr -d -o plain sealed
quiet "a wrong one" 4
terminal Enter 'correct horse\n' Repeat 'corect horse\n' -- tahr -p -o new text
quiet "a mistake" 2
check "it says so" grep -q "not the same" out
terminal Enter '\n' Repeat '\n' -- tahr -p -o new text
quiet "an empty one" 2
terminal Enter 'horse\x03' -- tahr -p -o new text
quiet "Control-C" 130
terminal Enter 'horse\x1c' -- tahr -d -o new sealed
quiet "Control-\\" 131
terminal Enter '\x04' -- tahr -d -o new sealed
quiet "Control-D" 3
terminal Enter 'correct \x1acorrect horse\n' -- tahr -d -o plain sealed
quiet "Control-Z waits" 0
for signal in TERM HUP; do
    terminal Enter "!$signal" -- tahr -d -o new sealed
    quiet "SIG$signal" $((128 + $(kill -l $signal)))
done
terminal Enter "$(head -c 1025 /dev/zero | tr '\0' y)\n" -- tahr -d -o new sealed
is "too long a line" "$rc $(tail -n 1 out)" "2 echo on"
check "nothing was written" test ! -e new
tidy "no temporary file is left"
setsid tahr -d sealed </dev/null >out 2>err
is "no terminal" $? 3
says "it says so" "no terminal"
light "correct horse" <key >locked
terminal "Enter passphrase for locked" 'correct horse\n' -- tahr -d -i locked -o plain keyed
quiet "a key file" 0
cp sealed "$(printf 'a\033b')"
terminal "Enter passphrase for a?b" 'correct horse\n' -- tahr -d -o plain "$(printf "a\033b")"
quiet "a name with control bytes" 0

# --- age ---

if command -v age >log; then
    terminal Enter 'correct horse\n' Confirm 'correct horse\n' -- age -p -o theirs text
    check "tahr opens age's" opens pass theirs
    tahr -p --passphrase-file pass -o ours text
    rm -f plain
    terminal Enter 'correct horse\n' -- age -d -o plain ours
    check "age opens tahr's" cmp plain text
    rm -f plain
    terminal Enter 'correct horse\n' Confirm 'correct horse\n' -- sh -c 'age-keygen 2>log | age -p -a >locked'
    tahr -e --passphrase-file pass -i locked -o ours text
    terminal Enter 'correct horse\n' -- age -d -i locked -o plain ours
    check "age's key file under a passphrase" cmp plain text
    tahr -p --passphrase-file pass -o locked key
    rm -f plain
    terminal Enter 'correct horse\n' -- age -d -i locked -o plain keyed
    check "age reads ours" cmp plain text
else
    skip "age is not installed" 4
fi

finish
