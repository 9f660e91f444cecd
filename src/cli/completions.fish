
# Of git seed: what clap_complete does not write. Jobs come from git's refs.
function __git_seed_jobs
    git for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs 2>/dev/null | LC_ALL=C grep -x '[0-9a-z-]*'
end

# fish 3.6.0 does not ask by itself what `git-seed` would be completed to behind `git seed`; this file has to be
# read before somebody types then, as from conf.d.
function __git_seed_through_git
    set -l words (commandline -opc)
    # The first word that is neither an option of git's nor the value of one: `git -C seed` names a directory.
    set -l at 2
    while set -q words[$at]; and string match -q -- '-*' $words[$at]
        contains -- $words[$at] -C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix
        and set at (math $at + 1)
        set at (math $at + 1)
    end
    test "$words[$at]" = seed
    or return
    set -l behind $words[(math $at + 1)..]
    complete -C "git-seed $behind "(commandline -ct)
end

complete -c git -f -n "__fish_git_using_command seed" -a "(__git_seed_through_git)"

