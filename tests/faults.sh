#!/bin/bash
# Each call to the system fails in turn: the exit code is 3, the old file stands, nothing is left.
. "${0%/*}/shell"

tahr-key new -o key 2>key.log
sed -n 's/^public key: //p' key.log >key.pub
bytes 150000 >data
tahr -R key.pub -o sealed data

preload() { # preload "call n" command...
    FAULT=$1 LD_PRELOAD=$BUILD/faults.so run "${@:2}"
}

preload "open 1" tahr -R key.pub -o new.file data
if [ ! -d hit ]; then
    skip "this build cannot be preloaded: failing system calls are not tried"
    pass "nothing to do"
    finish
fi
rmdir hit
echo "the old file" >before

encrypt() { tahr -R key.pub -o out.file data; }
encrypt_new() { tahr -n -R key.pub -o new.file data; }
decrypt() { tahr -d -i key -o out.file sealed; }
stream() { tahr -d -i key sealed; }
new_key() { tahr-key new -o new.file; }
show() { tahr-key show key; }

# What must be true of the files after success and after failure.
good() {
    case $1 in
    encrypt) tahr -d -i key out.file | cmp -s - data ;;
    encrypt_new) tahr -d -i key new.file | cmp -s - data ;;
    decrypt) cmp -s out.file data ;;
    stream) cmp -s out data ;;
    new_key) tahr-key check new.file >check.log 2>&1 ;;
    show) test -s out ;;
    esac
}
unharmed() { cmp -s out.file before && test ! -e new.file; }

# try "call" job [late|some]: with the call failing for the first, second ... time, until it is not
# reached.  A late call fails when the file has its name already; of some calls, like the closing of
# an input, only some do harm.
try() {
    local call=$1 job=$2 mode=${3:-} n bad="" refused=0
    reached=0
    for n in $(seq 1 500); do
        rm -f new.file
        cp before out.file
        preload "$call $n" $job
        rmdir hit 2>/dev/null || break
        reached=$n
        case $rc,$mode in
        0,some) good $job || bad="$bad $n (exit 0, but no good file)" ;;
        3,*)
            refused=1
            one_error || bad="$bad $n ($(head -n 3 err))"
            unharmed || { [ "$mode" = late ] && good $job; } || bad="$bad $n (the old file is gone)"
            ;;
        *) bad="$bad $n (exit $rc)" ;;
        esac
        [ -z "$(find . -name '.tahr-*')" ] || bad="$bad $n (a temporary file is left)"
        rm -f .tahr-*
    done
    if [ -n "$bad" ]; then
        fail "$job: $call fails" "the calls$bad"
    elif [ $refused -eq 0 ]; then
        fail "$job: $call fails" "called $reached times, and never missed"
    else
        pass "$job: $call fails, each of $reached times"
    fi
}

for job in encrypt encrypt_new decrypt stream new_key show; do
    for call in malloc open write; do try $call $job; done
    try close $job some
done
for job in encrypt decrypt stream show; do try read $job; done
for job in encrypt decrypt new_key show; do try mmap $job; done
for job in encrypt encrypt_new decrypt new_key; do
    try mkstemp $job
    try fsync $job late
    is "$job: the file and its folder are written through" $reached 2
done
for job in encrypt decrypt; do try rename $job; done

# A file system without modes and hard links: neither is needed.
for job in encrypt_new new_key; do
    for call in link fchmod; do
        rm -f new.file
        preload "$call 1" $job
        is "$job: $call is not permitted" "$rc $(rmdir hit && good $job && ls -A | grep -c new.file)" "0 1"
    done
done
mkfifo in
rm -f new.file
FAULT="link 1" LD_PRELOAD=$BUILD/faults.so tahr -n -R key.pub -o new.file in 2>err &
exec 3>in
wait_for sh -c 'ls .tahr-*'
cp before new.file
exec 3>&-
wait $!
is "no hard links, and a file that appears meanwhile: exit 3" $? 3
check "no hard links, and a file that appears meanwhile: it stays" cmp before new.file
is "no hard links: no temporary file is left" "$(find . -name '.tahr-*')" ""

rm -f new.file
for job in encrypt decrypt stream new_key; do
    preload "short 0" $job
    is "$job: short and interrupted reads and writes do no harm" "$rc $(good $job && echo good)" "0 good"
done

finish
