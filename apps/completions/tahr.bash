# bash completion for tahr(1) and tahr-key(1).

_tahr_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }
_tahr_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$1"); }

_tahr() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    case $before in
    --progress | =) _tahr_words "auto always never" "$word" ;;
    --threads | --passphrase-fd | --max-work-factor) ;;
    *) case $word in
        -*) _tahr_words "-e -d -r -R -i -p -a -o -n -f -q --encrypt --decrypt --test --inspect --json
            --rewrap --recipient --recipients-file --identity --passphrase --passphrase-fd
            --passphrase-file --max-work-factor --armor --output --no-clobber --force --quiet
            --progress --threads --version --help" "$word" ;;
        *) _tahr_files "$word" ;;
        esac ;;
    esac
}

_tahr_key() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        _tahr_words "new pub show check convert --version --help" "$word"
        return
    fi
    case $before in
    -t | --type) _tahr_words "elgamal rsa x25519" "$word" ;;
    -b | --bits) _tahr_words "2048 3072 4096 6144 8192" "$word" ;;
    -g | --group) _tahr_words "$(echo {ffdhe,modp}{2048,3072,4096,6144,8192})" "$word" ;;
    -F | --format)
        case ${COMP_WORDS[1]} in
        convert) _tahr_words "pkcs8 identity pkcs1 openssh oiw botan pkcs3" "$word" ;;
        *) _tahr_words "pem ssh age" "$word" ;;
        esac ;;
    -C | --comment | --passphrase-fd) ;;
    *) case $word in
        -*) _tahr_words "-t -b -g -p -C -o -f -F --type --bits --group --fresh-group --comment
            --output --force --format --secret --json --batch-gcd --max-work-factor --passphrase-fd
            --passphrase-file --version --help" "$word" ;;
        *) _tahr_files "$word" ;;
        esac ;;
    esac
}

complete -F _tahr tahr
complete -F _tahr_key tahr-key
