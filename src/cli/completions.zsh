# Ids of open jobs, from git's refs.
__git_seed_jobs() {
    local -a ids
    ids=(${(f)"$(git for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs 2>/dev/null)"})
    compadd -a ids
}
