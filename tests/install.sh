#!/bin/bash
# The installed copy: where everything is, programs compiled against it, manuals and completions
# that know every option.
. "${0%/*}/shell"

if nm -D "$BUILD/libtahr.so" | grep -q __asan; then
    skip "a library with the sanitizer is not for programs without it"
    check "but it is built" test -s "$BUILD/libtahr.a"
    finish
fi

install_to() { # install_to DESTDIR PREFIX
    env -u MAKEFLAGS -u MAKELEVEL make -C "$top" BUILD="$BUILD" DESTDIR="$1" PREFIX="$2" install >make.log 2>&1
}
files() { (cd "$1" && find . ! -type d | sort); }

# --- Where everything is ---

check "make install" install_to "" "$T/usr"
check "make install with DESTDIR" install_to "$T/stage" /opt/tahr
is "the same files" "$(files stage/opt/tahr)" "$(files usr)"
is "and no others" "$(files stage | grep -vc '^\./opt/tahr/')" 0
for file in bin/tahr bin/tahr-key bin/age-plugin-tahr lib/libtahr.so lib/libtahr.so.0 lib/libtahr.a \
    lib/pkgconfig/tahr.pc lib/pkgconfig/tahr-tommath.pc include/tahr/tahr.h include/tahr/mp.h \
    include/tahr/tommath.h share/man/man1/tahr.1 share/man/man1/tahr-key.1 \
    share/man/man1/age-plugin-tahr.1 share/man/man3/tahr.3 share/man/man5/tahr.5; do
    check "usr/$file" test -s usr/$file
done
is "nothing beside include/tahr" "$(ls usr/include)" tahr
is "a second time changes nothing" "$(install_to "" "$T/usr" && files usr)" "$(files stage/opt/tahr)"
is "the installed program runs" "$(usr/bin/tahr --version)" "$(tahr --version)"
is "the plugin is a link to it" "$(readlink usr/bin/age-plugin-tahr)" tahr
is "the soname" "$(objdump -p usr/lib/libtahr.so | awk '/SONAME/ { print $2 }')" libtahr.so.0
is "only tahr_* is exported" "$(nm -D --defined-only usr/lib/libtahr.so | awk '$3 !~ /^tahr_/')" ""
declared=$(sed -nE 's/^TAHR_API .*[ *](tahr_[a-z_0-9]+)\(.*/\1/p' "$top/crypto/tahr.h")
missing=
for name in $declared; do
    nm -D --defined-only usr/lib/libtahr.so | grep -q " $name\$" || missing="$missing $name"
    grep -q "Fn $name" usr/share/man/man3/tahr.3 || missing="$missing tahr(3):$name"
done
is "all of tahr.h is there, and in tahr(3)" "$(echo "$declared" | wc -l | awk '$1 > 40') $missing" "$(echo "$declared" | wc -l) "

# --- Programs against it ---

if command -v pkg-config >log; then
    export PKG_CONFIG_PATH=$T/usr/lib/pkgconfig
    is "pkg-config --modversion" "$(pkg-config --modversion tahr)" "$(tahr --version | cut -d' ' -f2)"
    is "the prefix of the staged copy" \
        "$(PKG_CONFIG_PATH=stage/opt/tahr/lib/pkgconfig pkg-config --variable=prefix tahr)" /opt/tahr
    flags=$(pkg-config --cflags --libs tahr)
    tommath=$(pkg-config --cflags --libs tahr-tommath)
    static=$(PKG_CONFIG_PATH=$T/usr/lib/pkgconfig:$PKG_CONFIG_PATH pkg-config --static --libs tahr)
else
    skip "pkg-config is not installed" 2
    flags="-I$T/usr/include -L$T/usr/lib -ltahr"
    tommath="-I$T/usr/include/tahr -L$T/usr/lib -ltahr"
    static="-L$T/usr/lib -ltahr -pthread -lsodium"
fi
export LD_LIBRARY_PATH=$T/usr/lib
CC="${CC:-cc} -std=c11 -Wall -Wextra -Werror"

check "tests/example/seal.c compiles" $CC "$top/tests/example/seal.c" $flags -o seal
check "and static" $CC "$top/tests/example/seal.c" -I"$T/usr/include" ${static/-ltahr/-l:libtahr.a} -o seal-static
is "without libtahr.so" "$(ldd seal-static | grep -c libtahr)" 0
tahr-key new -o key 2>log
tahr-key pub key >key.pub
bytes 100000 >plain
for seal in ./seal ./seal-static; do
    $seal -e key.pub <plain >sealed
    check "tahr opens what $seal writes" sh -c 'tahr -d -i key sealed | cmp - plain'
    tahr -R key.pub -o sealed plain
    check "$seal opens what tahr writes" sh -c '$1 -d key <sealed | cmp - plain' sh $seal
done
tahr-key new -o other 2>log
run ./seal -d other <sealed
is "the library's codes" "$rc $(wc -c <out)" "4 0"

check "tests/example/tally.c compiles" $CC "$top/tests/example/tally.c" $flags -o tally
is "four votes" "$(./tally 1 0 1 1)" 3
is "no votes" "$(./tally)" 0

check "a LibTomMath client compiles" $CC "$top/tests/test_mp_client.c" $tommath -o client
check "and runs" ./client
if command -v c++ >log; then
    echo '#include <tahr/tahr.h>
          int main() { return tahr_init() != nullptr; }' >plus.cc
    check "C++ takes the header" c++ -Wall -Wextra -Werror plus.cc $flags -o plus
    check "and runs" ./plus
else
    skip "no C++ compiler" 2
fi

# --- Manuals and completions ---

# The options and commands that a file speaks of, one on a line.
in_help() {
    grep -oE '(^|[ ,[(|])--?[a-zA-Z][a-z-]*' | grep -oE -e '--?[a-zA-Z][a-z-]*'
}
in_shell() { grep -oE -e '--?[a-zA-Z][a-z-]*' "$1"; }
in_fish() { grep -oE -e '-[sl] [a-zA-Z-]+' "$1" | sed 's/^-s /-/; s/^-l /--/'; }
in_manual() { sed -n 's/^\.It Fl//p' "$1" | tr ' ' '\n' | grep -E '^(-[a-z-]+|[a-zA-Z])$' | sed 's/^/-/'; }
lacking() { comm -13 <("$@" | sort -u) <($program --help | in_help | sort -u); }

for program in tahr tahr-key; do
    check "$program --help has options" test "$($program --help | in_help | sort -u | wc -l)" -gt 10
    is "$program(1) has them all" "$(lacking in_manual usr/share/man/man1/$program.1)" ""
    is "$program in bash" "$(lacking in_shell usr/share/bash-completion/completions/tahr)" ""
    is "$program in zsh" "$(lacking in_shell usr/share/zsh/site-functions/_tahr)" ""
    is "$program in fish" "$(lacking in_fish usr/share/fish/vendor_completions.d/$program.fish)" ""
done
for command in $(tahr-key --help | sed -nE 's/^  tahr-key ([a-z]+).*/\1/p' | sort -u); do
    for file in bash-completion/completions/tahr zsh/site-functions/_tahr \
        fish/vendor_completions.d/tahr-key.fish man/man1/tahr-key.1; do
        check "$command in $file" grep -qw $command usr/share/$file
    done
done

complete_words() { # complete_words function words...: what bash would offer for the last word
    bash -c '. usr/share/bash-completion/completions/tahr
        compopt() { :; }
        f=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); $f; echo ${COMPREPLY[*]}' bash "$@"
}
is "bash: an option" "$(complete_words _tahr tahr --arm)" "--armor"
is "bash: a file" "$(complete_words _tahr tahr -d key.)" "key.pub"
is "bash: a value" "$(complete_words _tahr tahr --progress al)" "always"
is "bash: a command" "$(complete_words _tahr_key tahr-key ch)" "check"
is "bash: a group" "$(complete_words _tahr_key tahr-key new -g modp8)" "modp8192"
is "bash: a format" "$(complete_words _tahr_key tahr-key pub -F s)" "ssh"

if command -v groff >log; then
    for page in usr/share/man/man?/*; do
        is "groff: ${page##*/}" "$(groff -mdoc -ww -Tascii "$page" 2>&1 >page)" ""
        check "it says something" test "$(wc -l <page)" -gt 20
    done
else
    skip "groff is not installed" 10
fi

finish
