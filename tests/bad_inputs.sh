#!/bin/bash
# What strangers may send: a clear line of error, the documented exit code, no output, and the old
# file as it was.  The inputs are made by bad_inputs.py, for keys made here.
. "${0%/*}/shell"

if ! command -v python3 >log; then
    skip "python3 is not installed: no bad inputs"
    finish
fi
tahr-key new -t rsa -b 2048 -o rsa 2>log
tahr-key new -g ffdhe2048 -o elgamal 2>log
echo "a text" >plain
tahr -i rsa -i elgamal -o sealed plain
PYTHONDONTWRITEBYTECODE=1 python3 "$top/tests/bad_inputs.py" rsa elgamal || exit 1
chmod 600 input*
echo "the old file" >before

# verdict "what" codes: the exit code is one of these; if it is not 0, all that refusal means.
verdict() {
    local what=$1 codes=$2
    if [[ ! $rc =~ ^($codes)$ ]]; then
        fail "$what" "exit $rc, expected $codes" "$(head -c 2000 err)"
    elif [ "$rc" -ne 0 ] && ! one_error; then
        fail "$what" "not one line of error" "$(head -c 2000 err | cat -v)"
    elif [ "$rc" -ne 0 ] && ! cmp -s before old; then
        fail "$what" "the old file is gone"
    elif [ -n "$(find . -name '.tahr-*')" ]; then
        fail "$what" "a temporary file is left"
    else
        pass "$what"
    fi
}

# Twenty seconds are enough for anything.
attempt() {
    cp before old
    run timeout 20 "$@"
}

while read -r kind codes file name; do
    case $kind in
    private)
        attempt tahr-key check $file
        verdict "check, $name" "$codes"
        [ "$codes" = 0 ] && codes="0|4" # another key, perhaps
        attempt tahr -d -i $file -o old sealed
        verdict "-i, $name" "$codes"
        ;;
    public)
        attempt tahr -R $file -o old plain
        verdict "-R, $name" "$codes"
        ;;
    check)
        attempt tahr-key check $file
        verdict "check, $name" "$codes"
        ;;
    message | oaep)
        attempt tahr -d -i rsa -i elgamal -o old $file
        verdict "$name" "$codes"
        [ $kind != oaep ] || sed "s/$file/FILE/" err >>oaep.errors
        ;;
    esac
done <index
is "OAEP has one error" "$(sort -u oaep.errors | grep -c .)" 1
check "and many ways to it" test "$(wc -l <oaep.errors)" -gt 20

finish
