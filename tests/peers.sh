#!/bin/bash
# With the programs of others: age both ways, openssl and ssh-keygen on our keys and theirs, and
# the model of tahr/elgamal, which is written from the formats alone.
. "${0%/*}/shell"

SIZES="0 1 65535 65536 65537 3145728"
for size in $SIZES; do bytes $size >plain.$size; done

for bits in 2048 3072 4096; do
    tahr-key new -t rsa -b $bits -C "with a comment" -o ours$bits 2>log
    tahr-key pub -F ssh ours$bits >ours$bits.pub
    openssl genrsa -out theirs$bits $bits 2>log
    openssl rsa -in theirs$bits -pubout -out theirs$bits.pem 2>log
    openssl rsa -in theirs$bits -traditional -out theirs$bits.pkcs1 2>log
    openssl pkey -in theirs$bits -outform DER -out theirs$bits.der
    chmod 600 theirs$bits*
done
tahr-key new -o elgamal 2>log

# --- age ---

both_ways() { # both_ways key recipients: every size and form
    local key=$1 recipients=$2 size form
    for size in $SIZES; do
        for form in "" -a; do
            age $form -R "$recipients" -o sealed plain.$size
            check "$key: tahr opens age's $size bytes ${form:+armored}" \
                sh -c 'tahr -d -i "$1" sealed | cmp - "$2"' sh "$key" plain.$size
            tahr $form -R "$recipients" -o sealed plain.$size
            check "$key: age opens tahr's $size bytes ${form:+armored}" \
                sh -c 'age -d -i "$1" sealed | cmp - "$2"' sh "$key" plain.$size
        done
    done
}

if command -v age >log; then
    for bits in 2048 3072 4096; do both_ways ours$bits ours$bits.pub; done
    tahr -R ours2048.pub -R ours3072.pub -r "$(tahr-key pub -F age elgamal)" -o sealed plain.65537
    for key in ours2048 ours3072; do
        check "age opens what is for several keys: $key" sh -c 'age -d -i $1 sealed | cmp - plain.65537' sh $key
    done
    check "so does tahr" sh -c 'tahr -d -i elgamal sealed | cmp - plain.65537'
    age-keygen -o x25519 2>log
    age -r "$(age-keygen -y x25519)" -R ours2048.pub -o sealed plain.1
    check "tahr passes over an X25519 stanza" sh -c 'tahr -d -i ours2048 sealed | cmp - plain.1'
    age -r "$(age-keygen -y x25519)" -o sealed plain.1
    refused "what is for X25519 alone" 4 tahr -d -i ours2048 sealed
    age-keygen -y x25519 >x25519.pub
    both_ways x25519 x25519.pub
    tahr-key new -t x25519 -C "with a comment" -o ours25519 2>log
    is "age-keygen makes the same public key" "$(age-keygen -y ours25519)" "$(tahr-key pub ours25519)"
    is "so do we for its key" "$(tahr-key pub x25519)" "$(cat x25519.pub)"
    tahr-key pub ours25519 >ours25519.pub
    both_ways ours25519 ours25519.pub
    age -e -i ours25519 -o sealed plain.1
    check "age encrypts to our key file" sh -c 'tahr -d -i ours25519 sealed | cmp - plain.1'
    { cat x25519 && printf '# another\r\n\r\n' && sed 's/$/\r/' ours25519; } >both25519
    chmod 600 both25519
    tahr -e -i both25519 -o sealed plain.1
    check "an identity file with comments, CRLF and two keys" sh -c 'tahr -d -i both25519 sealed | cmp - plain.1'
    check "each of which opens" sh -c 'age -d -i x25519 sealed | cmp - plain.1 && age -d -i ours25519 sealed | cmp - plain.1'
else
    skip "age is not installed" 129
fi

# --- the model ---

if command -v python3 >log; then
    model() { python3 "$top/tests/elgamal_model.py" "$@"; }
    for group in ffdhe2048 modp3072; do
        model keygen $group >model.key
        chmod 600 model.key
        recipient=$(sed -n 's/^# public key: //p' model.key)
        is "the model's $group key: tahr-key pub" "$(tahr-key pub -F age model.key)" "$recipient"
        for size in 0 1 65537; do
            model encrypt "$recipient" <plain.$size >sealed
            check "tahr opens the model's $size bytes, $group" sh -c 'tahr -d -i model.key sealed | cmp - $1' sh plain.$size
            tahr -r "$recipient" -o sealed plain.$size
            model decrypt model.key <sealed >opened
            check "the model opens tahr's $size bytes, $group" cmp opened plain.$size
        done
    done
else
    skip "python3 is not installed" 14
fi

# --- openssl ---

for key in ours2048 ours3072 ours4096 elgamal; do
    check "openssl pkey -check: $key" openssl pkey -in $key -check -noout
    openssl pkey -in $key -pubout -out theirs.pub
    check "openssl makes the same public key: $key" sh -c 'tahr-key pub $1 | cmp - theirs.pub' sh $key
done
for bits in 2048 3072 4096; do
    tahr -R theirs$bits.pem -o sealed plain.65537
    for form in "" .pkcs1 .der; do
        check "openssl's key theirs$bits$form" sh -c 'tahr -d -i $1 sealed | cmp - plain.65537' sh theirs$bits$form
        check "tahr-key check theirs$bits$form" tahr-key check theirs$bits$form
    done
done

# --- OpenSSH ---

if command -v ssh-keygen >log; then
    for bits in 2048 3072 4096; do
        check "ssh-keygen reads our line: ours$bits" ssh-keygen -l -f ours$bits.pub
        is "ssh-keygen makes the same line: ours$bits" \
            "$(ssh-keygen -y -f ours$bits | cut -d' ' -f1,2)" "$(cut -d' ' -f1,2 ours$bits.pub)"
    done
    ssh-keygen -q -t rsa -b 2048 -m PEM -N "" -C "them@there" -f ssh
    tahr -R ssh.pub -o sealed plain.65537
    check "ssh-keygen's RSA key in PEM" sh -c 'tahr -d -i ssh sealed | cmp - plain.65537'
    tahr -r "$(cat ssh.pub)" -o sealed plain.65537
    check "its line as -r" sh -c 'tahr -d -i ssh sealed | cmp - plain.65537'
    ssh-keygen -q -t ed25519 -N "" -f ed
    refused "an ssh-ed25519 line" 5 tahr -R ed.pub plain.1
    refused "an ssh-ed25519 line as -r" 5 tahr -r "$(cat ed.pub)" plain.1
    ssh-keygen -q -t rsa -b 1024 -N "" -f small 2>log && refused "a 1024-bit ssh-rsa line" 5 tahr -R small.pub plain.1
else
    skip "ssh-keygen is not installed" 11
fi

finish
