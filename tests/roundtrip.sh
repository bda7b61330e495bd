#!/bin/bash
# End to end: every kind of key, sizes around the chunks, bytes and armor.
. "${0%/*}/shell"

SIZES="0 1 65535 65536 65537 3145728"
for size in $SIZES; do bytes $size >plain.$size; done

# round key: both forms of every size.
round() {
    local key=$1 size form
    tahr-key pub "$key" >"$key.pem"
    for size in $SIZES; do
        for form in "" -a; do
            rm -f sealed opened
            tahr $form -R "$key.pem" -o sealed plain.$size && tahr -d -i "$key" -o opened sealed
            check "$key: $size bytes ${form:+armored}" cmp opened plain.$size
        done
    done
}

for bits in 2048 3072 4096; do
    tahr-key new -t rsa -b $bits -o rsa$bits 2>rsa$bits.log
    round rsa$bits
done
for group in ffdhe2048 ffdhe3072 ffdhe4096 ffdhe6144 ffdhe8192 modp2048 modp3072 modp4096 modp6144 modp8192; do
    tahr-key new -g $group -o $group 2>$group.log
    SIZES="65537"
    [ $group != ffdhe3072 ] || SIZES="0 1 65535 65536 65537 3145728"
    round $group
done

# The public key on standard error serves as it is.
for key in rsa3072 ffdhe2048; do
    recipient=$(sed -n 's/^public key: //p' $key.log)
    is "$key: one line of public key" "$(wc -l <$key.log)" 1
    tahr -r "$recipient" plain.1 | tahr -d -i $key -o opened
    check "$key: a file sealed to it" cmp opened plain.1
    case $key in rsa*) form=ssh ;; *) form=age ;; esac
    is "$key: pub -F $form says the same" "$(tahr-key pub -F $form $key)" "$recipient"
done

# Private and public keys on standard streams.
tahr-key new >stdout.key 2>stdout.log
is "without -o the private key goes to standard output" "$(head -n 1 stdout.key)" "-----BEGIN PRIVATE KEY-----"
check "and warns of a file that others can read" grep -q "warning: others can read" stdout.log
chmod 600 stdout.key
check "pub reads standard input" sh -c 'tahr-key pub <stdout.key | cmp - <<END
$(tahr-key pub stdout.key)
END'
check "pub of a public key is the same" sh -c 'tahr-key pub stdout.key | tahr-key pub | cmp - <<END
$(tahr-key pub stdout.key)
END'
tahr-key new -C "a key of mine" -o commented 2>commented.log
is "a comment is the last line" "$(tail -n 1 commented)" "# a key of mine"
check "and does no harm" tahr-key check commented
tahr-key new -t rsa -b 2048 -C "a key of mine" -o commented2 2>commented2.log
check "an ssh-rsa line ends in it" grep -q '^public key: ssh-rsa [A-Za-z0-9+/=]* a key of mine$' commented2.log

# show and check
for key in rsa2048 ffdhe2048; do
    run tahr-key show $key
    is "show $key" $rc 0
    check "show $key: its size" grep -q 2048 out
    cp out public
    run tahr-key show --secret $key
    check "show --secret $key: says more" test "$(wc -c <out)" -gt "$(wc -c <public)"
    run tahr-key show $key.pem
    is "show $key.pem" $rc 0
    run tahr-key check $key $key.pem
    is "check $key" "$rc $(cat out)" "0 $key: good
$key.pem: good"
done

finish
