if test -x BINARY; then BINARY merge-pages %O %A %B %L; s=$?; test $s -le 1 && exit $s; fi; git merge-file --marker-size=%L %A %O %B
