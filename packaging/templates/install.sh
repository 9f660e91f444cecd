#!/bin/sh
# Installs git seed @VERSION@ into a directory of yours. It asks for no rights and starts no sudo.
#
#   sh install.sh [--prefix <dir>] [--from <address or directory>]
#   sh install.sh --uninstall [--prefix <dir>]
#
# Nothing is put anywhere before the archive has the checksum that stands below and the list of checksums
# has a signature of the key that stands below. Where one of them cannot be checked, it stops.
# packaging/make wrote this file.
set -eu
LC_ALL=C
export LC_ALL

version='@VERSION@'
from='@URL@'
prefix="${HOME:-}/.local"
# Who may sign, as ssh-keygen reads it, and as minisign does; empty where there is no such key.
ssh_key='@SSH_KEY@'
minisign_key='@MINISIGN_KEY@'
signer='git-seed-release'
uninstall=

sum_of() {
  case "$1" in
@SUMS@
  *) return 1 ;;
  esac
}

stop() {
  echo "error: $1" >&2
  [ -z "${2:-}" ] || echo "hint: $2" >&2
  exit 1
}

# Not read out of this file: piped into a shell, it has none.
usage() {
  cat <<'USAGE'
Installs git seed @VERSION@ into a directory of yours. It asks for no rights and starts no sudo.

  sh install.sh [--prefix <dir>] [--from <address or directory>]
  sh install.sh --uninstall [--prefix <dir>]

Nothing is put anywhere before the archive has the checksum that stands in this file and the list of
checksums has a signature of the key that stands in it. Where one of them cannot be checked, it stops.
USAGE
}

has() { command -v "$1" >/dev/null 2>&1; }

while [ $# -gt 0 ]; do
  case "$1" in
  --prefix) [ $# -gt 1 ] || stop '--prefix needs a directory'; prefix=$2; shift ;;
  --from) [ $# -gt 1 ] || stop '--from needs an address or a directory'; from=$2; shift ;;
  --uninstall) uninstall=yes ;;
  -h | --help) usage; exit 0 ;;
  *) stop "unknown option $1" 'sh install.sh --help' ;;
  esac
  shift
done

case "$prefix" in
/.local) stop 'HOME is not set' 'sh install.sh --prefix <dir>' ;;
/*) ;;
*) prefix="$(pwd)/$prefix" ;;
esac
# One path a line, below the prefix. Those that end with / are directories that an installer made.
list="$prefix/share/git-seed/installed"
# What is written beside a file before it takes its place; a kill can leave one.
beside=.git-seed-new

# Takes out the files that the list names.
remove() {
  while IFS= read -r file; do
    case "$file" in
    '' | /* | *..* | */) continue ;;
    esac
    rm -f "$prefix/$file" "$prefix/$file$beside"
  done <"$1"
}

# Takes out the directories that an installer made, deepest first, where they are empty.
remove_directories() {
  sort -r "$1" | while IFS= read -r dir; do
    case "$dir" in
    /* | *..*) ;;
    ./) rmdir "$prefix" 2>/dev/null || : ;;
    */) rmdir "$prefix/$dir" 2>/dev/null || : ;;
    esac
  done
}

# Puts a file into its place as a whole: nobody ever finds half of it.
put() {
  cp "$1" "$2$beside"
  chmod "$3" "$2$beside"
  mv -f "$2$beside" "$2"
}

if [ -n "$uninstall" ]; then
  [ -f "$list" ] || stop "nothing was installed below $prefix" 'sh install.sh --uninstall --prefix <dir>'
  kept=$(mktemp)
  cat "$list" >"$kept"
  echo share/git-seed/installed >>"$kept"
  remove "$kept"
  remove_directories "$kept"
  rm -f "$kept"
  echo "removed  git seed from $prefix"
  echo "note     'git seed uninstall' takes it out of a repository; do that first where you used it"
  exit 0
fi

case "$(uname -s) $(uname -m)" in
'Linux x86_64' | 'Linux amd64') name=x86_64-linux ;;
'Linux aarch64' | 'Linux arm64') name=aarch64-linux ;;
'Darwin '*) name=universal-macos ;;
*) stop "there is no binary for $(uname -s) on $(uname -m)" 'build it from source: docs/install.md' ;;
esac
sum=$(sum_of "$name") || stop "this release has no binary for $name" 'build it from source: docs/install.md'
archive="git-seed-$version-$name.tar.gz"

work=$(mktemp -d)
# The version that is half in its place.
half=
ends() {
  rm -rf "$work"
  [ -z "$half" ] || {
    echo "error: the install of git seed $half did not come to its end; each file is the old one or the new one" >&2
    echo "hint: run it again: sh install.sh --prefix '$prefix'" >&2
  }
}
trap ends EXIT
trap 'exit 1' HUP INT TERM

# Whether an address without a certificate leads to this machine: a host, and at most a port.
is_here() {
  host=${1#http://}
  host=${host%%/*}
  case "$host" in
  127.0.0.1 | localhost) return 0 ;;
  127.0.0.1:* | localhost:*) ;;
  *) return 1 ;;
  esac
  case "${host#*:}" in
  '' | *[!0-9]*) return 1 ;;
  esac
}

# Brings one file of the release into the scratch directory.
fetch() {
  case "$from" in
  https://*) load=network ;;
  http://*)
    is_here "$from" || stop "$from is no address that is safe to load from" 'https://, file:// or a directory'
    load=network
    ;;
  file://*) load=${from#file://} ;;
  *://*) stop "$from is no address that is safe to load from" 'https://, file:// or a directory' ;;
  *) load=$from ;;
  esac
  if [ "$load" != network ]; then
    cp "$load/$1" "$work/$1" 2>"$work/said"
  elif has curl; then
    curl -fsSL "$from/$1" -o "$work/$1" 2>"$work/said"
  elif has wget; then
    wget -nv "$from/$1" -O "$work/$1" 2>"$work/said"
  else
    stop 'neither curl nor wget is here'
  fi || stop "$from/$1 could not be loaded: $(tail -n 1 "$work/said")"
}

checksum() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    stop 'no program for SHA-256 is here' 'install sha256sum, shasum or openssl'
  fi
}

# Older ones make keys and check no signatures.
ssh_keygen_verifies() {
  has ssh-keygen && ! ssh-keygen -Y verify 2>&1 </dev/null | grep -Eq '(unknown|illegal|invalid|unrecognized) option'
}

# The signature of the list of checksums, by whichever program is here for a key that is known.
verify() {
  if [ -n "$ssh_key" ] && ssh_keygen_verifies; then
    fetch SHA256SUMS.sig
    echo "$signer namespaces=\"$signer\" $ssh_key" >"$work/allowed"
    ssh-keygen -Y verify -f "$work/allowed" -I "$signer" -n "$signer" -s "$work/SHA256SUMS.sig" \
      <"$work/SHA256SUMS" >/dev/null 2>&1 || stop 'the signature of the checksums is not of the key of git seed'
  elif [ -n "$minisign_key" ] && has minisign; then
    fetch SHA256SUMS.minisig
    minisign -Vq -P "$minisign_key" -m "$work/SHA256SUMS" -x "$work/SHA256SUMS.minisig" >/dev/null 2>&1 ||
      stop 'the signature of the checksums is not of the key of git seed'
  elif [ -n "$ssh_key" ] && has ssh-keygen; then
    stop 'the ssh-keygen that is here is too old to check the signature: it has no -Y verify' \
      'install OpenSSH 8.1 or newer, or minisign'
  else
    stop 'the signature cannot be checked here' 'install ssh-keygen (OpenSSH 8.1 or newer) or minisign'
  fi
}

fetch SHA256SUMS
verify
grep -qx "$sum  $archive" "$work/SHA256SUMS" || stop "the signed list has another checksum of $archive"
fetch "$archive"
[ "$(checksum "$work/$archive")" = "$sum" ] || stop "$archive has another checksum: it was changed or is broken"

tar -tzf "$work/$archive" >"$work/names"
if grep -Eq '^/|(^|/)\.\.(/|$)' "$work/names"; then stop "$archive has a path that leads out of it"; fi
mkdir "$work/new"
tar -xzf "$work/$archive" -C "$work/new"
new="$work/new/git-seed-$version-$name"
"$new/bin/git-seed" version >/dev/null || stop 'the binary does not run here'

# What is there and not ours stays.
(cd "$new" && find . -type f | sed 's,^\./,,' | sort) >"$work/files"
: >"$work/before"
if [ -f "$list" ]; then sort -u "$list" >"$work/before"; fi
: >"$work/made"
while IFS= read -r file; do
  # A link that leads nowhere is somebody's, too.
  if [ -e "$prefix/$file" ] || [ -L "$prefix/$file" ]; then
    grep -qxF "$file" "$work/before" ||
      stop "$prefix/$file is there already, and this installer did not put it there" 'move it away, or use --prefix'
    # A file that is moved onto a directory would land in it.
    [ ! -d "$prefix/$file" ] || stop "$prefix/$file is a directory now" 'move it away, or use --prefix'
  fi
  dir=$(dirname "$file")
  while :; do
    if [ -L "$prefix/$dir" ] && [ ! -e "$prefix/$dir" ]; then
      stop "$prefix/$dir is a link that leads nowhere" 'mend or remove it, or use --prefix'
    fi
    [ -d "$prefix/$dir" ] || echo "$dir/" >>"$work/made"
    [ "$dir" != . ] || break
    dir=$(dirname "$dir")
  done
done <"$work/files"
for dir in share/git-seed share; do
  [ -d "$prefix/$dir" ] || echo "$dir/" >>"$work/made"
done

# What is installed is public, and may lie where others run it: the umask is none of its matter.
umask 022
half=$version
mkdir -p "$prefix/share/git-seed"
# The list is first: after a kill it names more than there is, and never less.
sort -u "$work/before" "$work/files" "$work/made" >"$work/list"
put "$work/list" "$list" 644
while IFS= read -r file; do
  mkdir -p "$prefix/$(dirname "$file")"
  case "$file" in
  bin/*) put "$new/$file" "$prefix/$file" 755 ;;
  *) put "$new/$file" "$prefix/$file" 644 ;;
  esac
done <"$work/files"
# What an older version had and this one has not.
comm -23 "$work/list" "$work/files" >"$work/old"
remove "$work/old"
remove_directories "$work/old"
cp "$work/files" "$work/list"
grep '/$' "$work/old" | while IFS= read -r dir; do
  [ ! -d "$prefix/$dir" ] || echo "$dir" >>"$work/list"
done
sort -u "$work/list" >"$work/now"
put "$work/now" "$list" 644
half=

echo "installed  git seed $version in $prefix/bin"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "note       put $prefix/bin into your PATH, so that git finds 'git seed'" ;;
esac
echo "try        git seed tour"
echo "undo       sh install.sh --uninstall --prefix '$prefix'"
