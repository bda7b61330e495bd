#!/bin/bash
# A message beyond 4 GiB, through pipes: where a 32-bit count of bytes would be lost, and in memory
# that does not grow.
. "${0%/*}/shell"

SIZE=4400000000
tahr-key new -t rsa -b 2048 -o key 2>key.log

head -c $SIZE /dev/zero | tahr -i key | tahr -d -i key | cmp - <(head -c $SIZE /dev/zero) >cmp.log 2>&1
is "tahr opens what tahr made" "${PIPESTATUS[*]}" "0 0 0 0"
if command -v age >log; then
    head -c $SIZE /dev/zero | tahr -i key | age -d -i key | cmp - <(head -c $SIZE /dev/zero) >cmp.log 2>&1
    is "age opens it, too" "${PIPESTATUS[*]}" "0 0 0 0"
else
    skip "age is not installed"
fi

if [ -r /proc/self/status ]; then
    mkfifo in
    tahr -i key in >sealed &
    pid=$!
    exec 3>in
    head -c 100000000 /dev/zero >&3
    check "less than 16 MiB of memory" test "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")" -lt 16384
    exec 3>&-
    wait
else
    skip "no /proc to look at the memory of a process"
fi

finish
