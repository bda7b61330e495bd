#!/bin/bash
# tahr-key convert: to every format and back, and there and back with the programs of others.
. "${0%/*}/shell"

tahr-key new -t rsa -b 2048 -o rsa 2>log
tahr-key new -g ffdhe2048 -o elgamal 2>log
tahr-key pub rsa >rsa.pub
tahr-key pub elgamal >elgamal.pub

back() { # back key format: and to PKCS #8 again
    check "$1 to $2" tahr-key convert -F $2 -o $1.$2 $1
    check "$1 back from $2" sh -c 'tahr-key convert -F pkcs8 $1.$2 | cmp - $1' sh $1 $2
    is "$1.$2 is private" "$(stat -c %a $1.$2)" 600
}
for format in pkcs8 pkcs1 openssh identity; do back rsa $format; done
for format in pkcs8 identity oiw botan pkcs3; do back elgamal $format; done
for format in pkcs8 oiw botan pkcs3; do
    check "a public key as $format" sh -c 'tahr-key convert -F $1 elgamal.pub | tahr-key pub | cmp - elgamal.pub' sh $format
done
check "an RSA public key as PKCS #1" sh -c 'tahr-key convert -F pkcs1 rsa.pub | tahr-key pub | cmp - rsa.pub'

cp rsa.pkcs1 kept
refused "an existing name is kept" 3 tahr-key convert -F pkcs8 -o rsa.pkcs1 rsa
check "it is as it was" cmp kept rsa.pkcs1
check "but for -f" tahr-key convert -f -F pkcs8 -o rsa.pkcs1 rsa
check "it is PKCS #8 now" cmp rsa.pkcs1 rsa
tahr-key convert -f -F pkcs1 -o rsa.pkcs1 rsa
refused "RSA is not for oiw" 2 tahr-key convert -F oiw rsa
refused "ElGamal is not for openssh" 2 tahr-key convert -F openssh elgamal
refused "a public key is not for openssh" 2 tahr-key convert -F openssh rsa.pub
refused "no format" 2 tahr-key convert rsa
refused "an unknown format" 2 tahr-key convert -F pem rsa
refused "an unknown format of pub" 2 tahr-key pub -F pkcs8 rsa

# --- openssl ---

for file in rsa.pkcs8 rsa.pkcs1 elgamal.pkcs8 elgamal.pkcs3; do
    check "openssl checks $file" openssl pkey -in $file -check -noout
    check "openssl makes the same public key of $file" sh -c 'openssl pkey -in $1 -pubout | tahr-key pub | cmp - $2' \
        sh $file ${file%.*}.pub
done
openssl genpkey -algorithm DH -pkeyopt group:ffdhe2048 -out dh 2>log
openssl genpkey -algorithm DHX -pkeyopt group:ffdhe2048 -out dhx 2>log
openssl genrsa -traditional -out traditional 2048 2>log
chmod 600 dh dhx traditional
check "openssl's PKCS #3 key" sh -c 'tahr-key convert -F pkcs8 dh | openssl pkey -check -noout'
check "openssl's X9.42 key is written as openssl writes it" sh -c 'tahr-key convert -F pkcs8 dhx | cmp - dhx'
check "openssl's PKCS #1 key is written as openssl writes it" sh -c 'tahr-key convert -F pkcs1 traditional | cmp - traditional'
openssl pkey -in rsa -aes128 -passout pass:x -out encrypted 2>log
chmod 600 encrypted
refused "an encrypted PKCS #8 key" 5 tahr-key show encrypted
says "what decrypts it" 'hint: .*openssl pkey -in FILE -out NEW'

# --- ssh-keygen ---

if command -v ssh-keygen >log; then
    is "ssh-keygen reads our file" "$(ssh-keygen -y -f rsa.openssh)" "$(tahr-key pub -F ssh rsa)"
    for bits in 2048 3071; do
        ssh-keygen -q -t rsa -b $bits -N "" -C "them there" -f ssh$bits
        check "ssh-keygen's file of $bits bits" sh -c 'tahr-key pub -F ssh $1 | cmp - $1.pub' sh ssh$bits
        tahr-key convert -F openssh -o again$bits ssh$bits
        is "written again, ssh-keygen reads it" "$(ssh-keygen -y -f again$bits)" "$(cat ssh$bits.pub)"
        check "its numbers are right" sh -c 'tahr-key convert -F pkcs8 $1 | openssl pkey -check -noout' sh ssh$bits
    done
    ssh-keygen -q -t rsa -b 2048 -N "secret" -f locked
    refused "a file with a passphrase" 5 tahr-key show locked
    says "what takes it off" "hint: .*ssh-keygen -p -N '' -f COPY"
    ssh-keygen -q -t ed25519 -N "" -f ed25519
    refused "an Ed25519 file" 5 tahr-key show ed25519
    ssh-keygen -q -t ecdsa -N "" -f ecdsa
    refused "an ECDSA file" 5 tahr-key show ecdsa
else
    skip "ssh-keygen is not installed" 11
fi

# --- botan ---

if command -v botan >log; then
    for file in elgamal.botan elgamal.pkcs8 rsa.pkcs8; do
        check "botan makes the same public key of $file" sh -c 'botan pkcs8 --pub-out $1 | tahr-key pub | cmp - $2' \
            sh $file ${file%.*}.pub
    done
    botan keygen --algo=ElGamal --params=modp/ietf/2048 >botan
    botan keygen --algo=RSA --params=2048 >botan.rsa
    chmod 600 botan botan.rsa
    check "botan's ElGamal key" sh -c 'tahr-key convert -F botan botan | botan pkcs8 --pub-out - >theirs'
    check "botan's own public key is the same" sh -c 'botan pkcs8 --pub-out botan | cmp - theirs'
    check "botan's RSA key" sh -c 'tahr-key convert -F pkcs8 botan.rsa | openssl pkey -check -noout'
else
    skip "botan is not installed" 6
fi

finish
