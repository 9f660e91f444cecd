# bash completion of git seed, printed by `git seed completions bash`.
# In ~/.local/share/bash-completion/completions/git-seed it is found for `git seed` and `git-seed`.

# Commands below a command.
__git_seed_words() {
    case "$1" in
    {{words}}
    esac
}

# Options of a command.
__git_seed_options() {
    case "$1" in
    {{options}}
    esac
}

# What an option, or the first argument of a command, may be.
__git_seed_values() {
    case "$1" in
    {{values}}
    esac
}

# A shell may expand what it completes: no name gets through that could be more than an id.
__git_seed_jobs() {
    git for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs 2>/dev/null | LC_ALL=C grep -x '[0-9a-z-]*'
}

# Sets `found` to what may stand at `cword`; $1 is the place of the first word behind `seed`.
__git_seed_find() {
    local path="" before="" n
    for ((n = $1; n < cword; n++)); do
        before="${words[n]}"
        case " $(__git_seed_words "$path" | tr '\n' ' ') " in
        *" $before "*) path="${path:+$path }$before" before="" ;;
        esac
    done
    found=""
    case "$cur" in
    -*) found="$(__git_seed_options "$path")" ;;
    *)
        case "$before" in
        -*) found="$(__git_seed_values "${path:+$path }$before")" ;;
        "") found="$(__git_seed_words "$path") $(__git_seed_values "$path")" ;;
        esac
        ;;
    esac
}

# git's own completion calls this for `git seed`.
_git_seed() {
    local found n
    for ((n = 1; n < cword; n++)); do
        [ "${words[n]}" = seed ] && break
    done
    __git_seed_find $((n + 1))
    __gitcomp "$found"
}

_git_seed_alone() {
    local found cur="${COMP_WORDS[COMP_CWORD]}" cword=$COMP_CWORD words=("${COMP_WORDS[@]}")
    __git_seed_find 1
    COMPREPLY=($(compgen -W "$found" -- "$cur"))
}

complete -o bashdefault -o default -F _git_seed_alone git-seed
