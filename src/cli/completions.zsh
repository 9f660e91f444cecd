# Ids of open jobs, from git's refs.
__git_seed_jobs() {
    local -a ids
    ids=(${(f)"$(git for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs 2>/dev/null | LC_ALL=C grep -x '[0-9a-z-]*')"})
    compadd -a ids
}
