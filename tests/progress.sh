#!/bin/bash
# Threads and progress: the same bytes from any number of threads, in little memory; size, rate and
# time left on a terminal or when asked.
. "${0%/*}/shell"

tahr-key new -t x25519 -o key 2>log

# --- threads ---

bytes 3000000 >plain
for threads in 1 2 3 16 100; do
    tahr --threads $threads -i key -o sealed plain
    check "--threads $threads opens what --threads 1 sealed, and so on" \
        sh -c 'tahr -d --threads 1 -i key sealed | cmp - plain && tahr -d --threads=$1 -i key sealed | cmp - plain' sh $threads
    command -v age >log && check "so does age" sh -c 'age -d -i key sealed | cmp - plain'
done
for threads in 0 -1 x "" 100000; do refused "--threads '$threads'" 2 tahr --threads "$threads" -i key plain; done
if (ulimit -v 60000 && tahr --version) >limit.log 2>&1; then
    check "no thread can be started" sh -c '(ulimit -v 60000; tahr -d --threads 16 -i key sealed) | cmp - plain'
else
    skip "with 60000 kB of memory no program starts"
fi
printf x | dd of=sealed bs=1 seek=2500000 conv=notrunc 2>log
for threads in 1 2 16; do
    tahr -d --threads $threads -i key sealed >opened 2>err
    is "a corrupt chunk ends the output at the same place, --threads $threads" "$? $(wc -c <opened)" "1 2490368"
done
memory() { # memory command...: the most that it took, in KiB
    python3 -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if code == 0 else code)' "$@"
}
if command -v python3 >log; then
    truncate -s 200M large
    for args in "-i key" "-a -i key" "--threads 16 -i key"; do
        is "less than 32 MiB: tahr $args" $(($(memory tahr $args -o sealed large) < 32768)) 1
        is "and to decrypt" $(($(memory tahr -d --threads 16 -i key -o opened sealed) < 32768)) 1
    done
    rm -f large sealed opened
else
    skip "python3 is not installed" 14
    finish
fi

# --- progress ---

slowly() { echo '(cat plain; sleep 1.1; cat plain) | tahr '"$*"; }
terminal() { # what a terminal shows, the rewritten line as lines
    "$top/tests/terminal.py" -- sh -c "$1" | tr '\r' '\n'
}

terminal "$(slowly -i key -o sealed)" >out
check "size and rate on a terminal" grep -qE '^tahr: [0-9.]+ MiB, [0-9.]+ [KM]iB/s *$' out
is "and no line is left" "$(tail -n 2 out | tr -d ' \n')" "echoon"
terminal "$(slowly --progress=never -i key -o sealed)" >out
is "--progress=never" "$(grep -c tahr out)" 0
terminal "$(slowly -q -i key -o sealed)" >out
is "-q" "$(grep -c tahr out)" 0
sh -c "$(slowly -i key -o sealed)" 2>err
is "none on another stderr" "$(cat err)" ""
sh -c "$(slowly --progress always -i key -o sealed)" 2>err
check "unless it is asked for" grep -qE '^tahr: [0-9.]+ MiB, [0-9.]+ [KM]iB/s$' err
mkfifo pipe
{ sleep 1.1 && cat >opened; } <pipe &
tahr --progress=always -i key plain >pipe 2>err
wait
check "time left" grep -qE '^tahr: [0-9.]+ [KM]iB of 2.9 MiB, [0-9.]+ [KM]iB/s, [0-9]+:[0-9][0-9] left$' err
refused "--progress=sometimes" 2 tahr --progress=sometimes -i key plain

finish
