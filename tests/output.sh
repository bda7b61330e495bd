#!/bin/bash
# Nothing is lost: what becomes of the output file when all goes well, and when it does not.
. "${0%/*}/shell"

tahr-key new -o key 2>key.log
sed -n 's/^public key: //p' key.log >key.pub
bytes 200000 >data
tahr -R key.pub -o sealed data
echo text | tahr -R key.pub -o text.age
head -c 100000 sealed >broken

old() { echo "the old file" >"${1:-out.file}"; }
is_old() { is "$1" "$(cat "${2:-out.file}")" "the old file"; }
opens() { tahr -d -i key "$1" | cmp - data; }
mode() { stat -c %a "$1"; }

# --- replaced, or not ---

old
tahr -R key.pub -o out.file data
check "an existing file is replaced" opens out.file
old
refused "unless -n" 3 tahr -n -R key.pub -o out.file data
says "-n says so" "already exists"
is_old "-n leaves it alone"
is "-n is refused before anything is read" "$(echo data | { tahr -n -R key.pub -o out.file 2>err; cat; })" data
refused "--no-clobber when decrypting" 3 tahr -d --no-clobber -i key -o out.file sealed
is_old "--no-clobber leaves it alone"
rm out.file
tahr -n -R key.pub -o out.file data
check "-n writes a new file" opens out.file
refused "a broken message" 1 tahr -d -i key -o new.file broken
check "leaves no file" test ! -e new.file
old
refused "a broken message over an old file" 1 tahr -d -i key -o out.file broken
is_old "leaves the old file"
refused "a message for somebody else over an old file" 4 sh -c \
    'tahr-key new -o other 2>/dev/null; tahr -d -i other -o out.file sealed'
is_old "leaves the old file, too"
tidy "no temporary file is left by these"

# A name that appears while the program works is not replaced with -n.
mkfifo in
rm -f out.file
tahr -n -R key.pub -o out.file in 2>err &
exec 3>in
wait_for sh -c 'ls .tahr-*'
old
exec 3>&-
wait $!
is "-n and a file that appears meanwhile: exit 3" $? 3
is_old "-n and a file that appears meanwhile: it stays"
check "the temporary file has mode 0600" sh -c '
    tahr -R key.pub -o out.file in & exec 3>in; sleep 0.2; test "$(stat -c %a .tahr-*)" = 600 || exit 1; exec 3>&-; wait'

# --- modes ---

rm -f out.file
(umask 027 && tahr -R key.pub -o out.file data)
is "a new file has the umask's mode" "$(mode out.file)" 640
chmod 604 out.file
tahr -R key.pub -o out.file data
is "a replaced file keeps its mode" "$(mode out.file)" 604
chmod 400 out.file
tahr -R key.pub -o out.file data
is "also a mode without write permission" "$(mode out.file)" 400
rm -f out.file

# --- where links lead ---

mkdir folder
old folder/target
ln -s folder/target link
ln -s ../link folder/link2
tahr -R key.pub -o folder/link2 data
check "symbolic links are followed" opens folder/target
check "and stay links" test -L folder/link2 -a -L link
ln -s folder/later dangling
tahr -R key.pub -o dangling data
check "a link to nothing makes what it points to" opens folder/later
check "and stays a link" test -L dangling
ln -s loop loop
refused "a link to itself" 3 tahr -R key.pub -o loop data
refused "a folder as output" 3 tahr -R key.pub -o folder data
refused "a file in no folder" 3 tahr -R key.pub -o nowhere/file data
refused "a file in a file" 3 tahr -R key.pub -o data/file data
name=$(printf 'n%.0s' $(seq 255))
tahr -R key.pub -o "$name" data
check "a name of 255 bytes" opens "$name"
refused "a name of 256 bytes" 3 tahr -R key.pub -o "n$name" data

# --- the same file twice ---

same() { # same "what" arguments...: exit 2, and the file is as it was
    local what=$1
    shift
    cp sealed copy
    ln -f copy hard
    ln -sf hard soft
    refused "$what" 2 tahr "$@"
    check "$what: nothing happened" cmp sealed copy
}

same "output is input" -R key.pub -o copy copy
same "output is input, decrypting" -d -i key -o copy copy
same "output is a hard link to input" -R key.pub -o hard copy
same "output is a symbolic link to input" -R key.pub -o soft copy
same "input is a symbolic link to output" -R key.pub -o copy soft
same "input is standard input" -R key.pub -o copy - <copy
cp key.pub recipients
ln -f recipients recipients2
refused "output is a recipients file" 2 tahr -R recipients -o recipients2 data
refused "output is -r's file" 2 tahr -r recipients -o recipients2 data
ln -f key key2
refused "output is an identity file" 2 tahr -d -i key -o key2 sealed
refused "output is an identity file, encrypting" 2 tahr -e -i key -o key2 data
check "the keys are as they were" cmp recipients key.pub
check "the private key is as it was" tahr-key check key
refused "standard output is the input" 2 sh -c 'tahr -R key.pub copy >>copy'
rm -f key2 # a second name would be a way to lose the first
old
refused "output is standard output by its name" 2 sh -c 'tahr -d -i key -o out.file sealed >>out.file'
is_old "standard output by its name stays"

# --- pipes and devices ---

if device null 2>device.log; then
    check "a device takes everything" tahr -d -i key -o null sealed
    check "and is still a device" test -c null
    check "a device may be read and written" tahr -R key.pub -o null null
    check "also on standard streams" sh -c 'tahr -R key.pub <null >null'
    check "a private key may go there" tahr-key new -o null
    check "it is a device still" test -c null
else
    skip "no device can be made here" 6
fi
mkfifo pipe
cat pipe >from.pipe &
tahr -R key.pub -o pipe data
wait $!
check "a FIFO is written" opens from.pipe
check "and is still a FIFO" test -p pipe
check "with -n, too" sh -c 'cat pipe >from.pipe & tahr -n -R key.pub -o pipe data; wait; test -p pipe -a -s from.pipe'
tahr -R key.pub -o /dev/stdout data | cat >from.pipe
check "/dev/stdout is a pipe" opens from.pipe
{ echo before && tahr -d -i key -o /dev/stdout text.age && echo after; } >from.stdout
is "/dev/stdout is a file that others write, too" "$(cat from.stdout)" "before
text
after"
old log
tahr -R key.pub -o /dev/stderr text.age 2>>log
is "/dev/stderr is a file: what it held stays" "$(head -n 1 log)" "the old file"
check "and the message follows" sh -c 'tail -n +2 log | tahr -d -i key | cmp - text.age'
for name in /dev/fd/7 /proc/self/fd/7 ./seventh; do
    ln -sf /proc/self/fd/7 seventh
    : >log
    { echo before >&7; tahr -d -i key -o $name text.age; echo after >&7; } 7>log
    is "$name is a file that others write, too" "$(cat log)" "before
text
after"
done
old log
check "a descriptor of a file that is gone" sh -c '
    exec 7<>log 8<log; rm log; tahr -d -i key -o /dev/fd/7 text.age; test "$(cat <&8 | tail -c 5)" = file'
is "leaves no file of a made-up name" "$(ls | grep -c deleted)" 0
old log
sleep 5 9>>log &
wait_for test -e /proc/$!/fd/9
tahr -d -i key -o /proc/$!/fd/9 text.age
kill $!
is "another process's descriptor is appended to" "$(cat log)" "the old file
text"
refused "a descriptor that is not open" 3 tahr -d -i key -o /dev/fd/7 text.age
refused "a descriptor that is not for writing" 3 sh -c 'tahr -d -i key -o /dev/fd/7 text.age 7</dev/null'
is "keys and message from /dev/fd" "$(tahr -d -i <(cat key) <(cat text.age))" text
tahr -R key.pub -o - data >from.stdout
check "-o - is standard output" opens from.stdout
cat data | tahr -R key.pub | cat | tahr -d -i key | cmp - data
check "pipes at both ends" test "${PIPESTATUS[*]}" = "0 0 0 0 0"
nonblocking() { # nonblocking FD command...: where that descriptor does not block
    python3 -c 'import os, sys; os.set_blocking(int(sys.argv[1]), False); os.execvp(sys.argv[2], sys.argv[2:])' "$@"
}
if command -v python3 >check.log; then
    (sleep 0.3; cat data) | nonblocking 0 tahr -R key.pub -o out.file
    check "an input that does not block is waited for" opens out.file
    nonblocking 1 tahr -R key.pub data | (sleep 0.3; cat >out.file)
    check "an output that does not block is waited for" opens out.file
else
    skip "python3 is not installed: no descriptors that do not block" 2
fi
if device full 2>device.log; then
    refused "a full device as output" 3 tahr -R key.pub -o full data
    says "a full device: it says so" "write full: No space left"
    refused "standard output is full" 3 sh -c 'tahr -R key.pub data >full'
    refused "standard output is full at the end" 3 sh -c 'echo | tahr -R key.pub -a >full'
    refused "help that cannot be written" 3 sh -c 'tahr --help >full'
    refused "tahr-key: standard output is full" 3 sh -c 'tahr-key pub key >full'
    refused "tahr-key new: standard output is full" 3 sh -c 'tahr-key new >full'
else
    skip "no full device can be made here" 7
fi
refused "standard output is closed" 3 sh -c 'tahr -R key.pub data >&-'
refused "standard input is closed" 3 sh -c 'tahr -R key.pub -o new.file <&-'
says "standard input is closed: it says so" "cannot read standard input: Bad file descriptor"
sh -c 'tahr -R key.pub -o out.file nowhere 2>&-'
is "standard error is closed" $? 3
sh -c 'tahr -R key.pub -o out.file data <&- >&- 2>&-'
check "all three closed, and not needed" opens out.file
(tahr -R key.pub data; echo $? >code) 2>err | true
wait_for test -s code
is "a reader who goes away" "$(cat code)" 3
(tahr -d -i key sealed; echo $? >code) 2>err | head -c 10 >ten
wait_for test -s code
is "a reader who goes away early" "$(cat code)" 3

# --- no room ---

rm -f out.file
old
refused "a limit of file size" 3 bash -c 'ulimit -f 100; tahr -R key.pub -o out.file data'
says "a limit of file size: it says so" "File too large"
is_old "a limit of file size leaves the old file"
refused "tahr-key: a limit of file size" 3 bash -c 'ulimit -f 1; tahr-key new -o new.key'
check "tahr-key: no file is left" test ! -e new.key
mkdir small
trap 'mountpoint -q "$T/small" && umount "$T/small"; chmod -R u+rwx "$T"; rm -rf "$T"' EXIT
if mount -t tmpfs -o size=128k none small 2>mount.log; then
    old small/out.file
    refused "a full disk" 3 tahr -R key.pub -o small/out.file data
    says "a full disk: it says so" "No space left"
    is_old "a full disk leaves the old file" small/out.file
    is "a full disk: nothing else is left" "$(ls -A small)" out.file
    head -c 200000 /dev/zero >small/filler 2>mount.log
    refused "tahr-key: a full disk" 3 tahr-key new -o small/new.key
    check "tahr-key: no file is left" test ! -e small/new.key
    umount small
else
    skip "no small disk: mounting is not allowed here" 6
fi
if (ulimit -v 300000 && tahr --version) >limit.log 2>&1; then
    for kilobytes in 1000 3000 5000 7000 9000; do
        old
        (ulimit -v $kilobytes 2>/dev/null && exec tahr -R key.pub -o out.file data) >out 2>err
        rc=$?
        case $rc in
        0) check "with $kilobytes kB of memory it works" opens out.file ;;
        3) is_old "with $kilobytes kB of memory the old file stays" ;;
        126 | 127 | 139 | 137) skip "with $kilobytes kB of memory no program starts" ;;
        *) fail "with $kilobytes kB of memory" "exit $rc" "$(cat err)" ;;
        esac
    done
else
    skip "this build needs unlimited memory" 5
fi
refused "a read-only folder" 3 sh -c '
    mkdir locked; cp data key.pub locked; chmod 755 .; chmod 555 locked; cd locked
    if [ $(id -u) -eq 0 ]; then setpriv --reuid 65534 --clear-groups tahr -R key.pub -o new.file data
    else tahr -R key.pub -o new.file data; fi'
says "a read-only folder: it says so" "cannot create a file in this folder"
tidy "no temporary file is left by these"

# --- stopped ---

stopped() { # stopped "what" signal code command with input from ./in...
    local what=$1 signal=$2 code=$3
    shift 3
    old
    env --default-signal "$@" 2>err & # a script's background ignores SIGINT
    exec 3>in
    head -c 150000 "$source_file" >&3
    wait_for sh -c 'ls .tahr-*'
    kill -"$signal" $!
    wait $!
    is "$what: exit $code" $? "$code"
    exec 3>&-
    is_old "$what: the old file stands"
    tidy "$what: the temporary file is gone"
}

source_file=data
stopped "SIGINT while encrypting" INT 130 tahr -R key.pub -o out.file in
stopped "SIGTERM while encrypting" TERM 143 tahr -R key.pub -o out.file in
for signal in HUP QUIT ALRM XCPU VTALRM PROF USR1 USR2; do
    stopped "SIG$signal while encrypting" $signal $((128 + $(kill -l $signal))) tahr -R key.pub -o out.file in
done
source_file=sealed
stopped "SIGINT while decrypting" INT 130 tahr -d -i key -o out.file in
stopped "SIGTERM while decrypting" TERM 143 tahr -d -i key -o out.file in

old
tahr -R key.pub -o out.file in &
exec 3>in
cat data >&3
kill -STOP $!
kill -CONT $!
exec 3>&-
wait $!
is "SIGSTOP and SIGCONT do no harm" $? 0
check "and the file is whole" opens out.file

for signal in HUP INT TERM; do
    (trap '' $signal && exec tahr -R key.pub -o out.file in) &
    exec 3>in
    kill -$signal $!
    cat data >&3
    exec 3>&-
    wait $!
    is "SIG$signal stays ignored" $? 0
done

env --default-signal tahr-key new --fresh-group -b 8192 -o new.key 2>err &
wait_for sh -c 'ls .tahr-*'
kill -INT $!
wait $!
is "a search is interrupted: exit 130" $? 130
check "a search is interrupted: no key" test ! -e new.key
tidy "a search is interrupted: no temporary file"

if [ -r /proc/self/limits ]; then
    tahr -R key.pub -o out.file in &
    exec 3>in
    check "core dumps are disabled" grep -E '^Max core file size +0 +0 ' /proc/$!/limits
    exec 3>&-
    wait $!
else
    skip "no /proc to look at the limits of a process"
fi

# --- private key files ---

is "a private key has mode 0600" "$(mode key)" 600
(umask 0 && tahr-key new -o new.key) 2>err
is "whatever the umask" "$(mode new.key)" 600
cp new.key before
refused "it is never replaced" 3 tahr-key new -o new.key
says "never replaced: it says so" "already exists"
check "never replaced: it is as it was" cmp new.key before
ln -s new.key soft.key
refused "nor through a link" 3 tahr-key new -o soft.key
chmod 644 new.key
run tahr-key new -f -o new.key
is "-f replaces it" $rc 0
check "by another" sh -c '! cmp -s new.key before'
is "of mode 0600" "$(mode new.key)" 600
is "with one name" "$(stat -c %h new.key)" 1
tidy "no temporary file is left by these"

# --- terminals ---

if script -qec true /dev/null >script.log 2>&1; then
    on_terminal() { # its output, and its exit code in rc
        script -qec "$1" /dev/null </dev/null >out
        rc=$?
        tr -d '\r' <out >err
    }
    on_terminal 'tahr -R key.pub data'
    is "binary data is refused on a terminal" $rc 2
    says "refused on a terminal: it says so" "not for a terminal"
    check "and nothing of it is shown" sh -c "! grep -q age-encryption err"
    on_terminal 'tahr -R key.pub -o - data'
    is "unless -o - insists" $rc 0
    on_terminal 'tahr -a -R key.pub data'
    is "armor is for terminals" $rc 0
    says "armor on a terminal" "^-----BEGIN AGE ENCRYPTED FILE-----$"
    on_terminal 'tahr -d -i key sealed'
    is "decrypted binary data is refused" $rc 2
    check "and not shown" test "$(stat -c %s out)" -lt 300
    echo "just text: ü" | tahr -R key.pub -o text.age
    on_terminal 'tahr -d -i key text.age'
    is "decrypted text is not" "$rc $(cat err)" "0 just text: ü"
    for name in /dev/tty /dev/stdout /dev/fd/1; do
        on_terminal "tahr -R key.pub -o $name data"
        is "binary data is refused on a terminal called $name" $rc 2
    done
    for bytes in '\033[31m' '\233' '\302\233' '\303\233\233' '\340\202\233' '\300\233'; do
        printf "text $bytes" | tahr -R key.pub -o text.age
        on_terminal 'tahr -d -i key text.age'
        is "a terminal is not sent $bytes" $rc 2
    done
    printf '%65535s\303\274 \344\270\226 \360\237\231\202' x | tahr -R key.pub -o text.age
    on_terminal 'tahr -d -i key text.age'
    is "a character may span two chunks" $rc 0
    on_terminal 'env --default-signal timeout --preserve-status -s INT 3 tahr-key new --fresh-group -b 4096'
    is "a search on a terminal is interrupted: exit 130" $rc 130
    says "and has shown what it tried" "[0-9]+ candidates tried in [1-9] s"
else
    skip "script cannot make a terminal" 21
fi

finish
