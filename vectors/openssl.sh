#!/bin/bash
# Brings the vectors of OpenSSL's bn tests from the distribution's source package:  openssl.sh FOLDER
set -eu
folder=$1

cannot() {
    [ ! -s "$work/log" ] || tail -3 "$work/log" >&2
    echo "vectors-openssl: $1" >&2
    echo "vectors-openssl: OpenSSL's source has the same files, test/recipes/10-test_bn_data/bn*.txt: put them into $folder" >&2
    exit 1
}

# apt's settings for a private copy of the distribution's own sources, with source packages: they
# are off by default, and the system's are not ours to change.
private_apt() {
    mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        grep -qsE '//[^ ]*(debian|ubuntu)' "$f" || continue
        sed -E 's/^deb /deb-src /; s/^Types:.*/Types: deb-src/' "$f" >"$work/parts/${f##*/}"
    done
    apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts"
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)")
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v apt-get >/dev/null || cannot 'there is no apt-get here'
private_apt
"${apt[@]}" update >"$work/log" 2>&1 || cannot 'apt-get update failed: is there a network?'
# Debian's own changes are not needed: a mirror that has lost them may still have OpenSSL's archive.
(cd "$work" && "${apt[@]}" source --download-only openssl >log 2>&1) || ls "$work"/openssl_*.orig.tar.?z >/dev/null 2>&1 ||
    cannot 'apt-get source openssl failed'
mkdir -p "$folder"
tar -xf "$work"/openssl_*.orig.tar.?z -C "$folder" --strip-components 4 --wildcards \
    '*/test/recipes/10-test_bn_data/bn*.txt' || cannot 'the source package has no bn*.txt'
echo "$folder: $(ls "$folder" | wc -l) files"
