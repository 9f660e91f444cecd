if test -x BINARY; then BINARY merge-pages %O %A %B %L; else git merge-file --marker-size=%L %A %O %B; fi
