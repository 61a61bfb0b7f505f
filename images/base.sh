#!/bin/bash
# Makes a base image of Debian packages as a tar file, for places without an
# image registry: import it with `docker import FILE sallyport/base`.
#
#   base.sh CACHE-DIRECTORY [PACKAGE...]
#
# Prints the path of the tar file. A file that is there already, for the same
# packages, is used again. Needs root and debootstrap, and a Debian mirror the
# first time (MIRROR and SUITE in the environment choose another).
set -euo pipefail
cache=${1:?usage: base.sh CACHE-DIRECTORY [PACKAGE...]}
shift
[ $# -gt 0 ] || set -- python3 nodejs
suite=${SUITE:-bookworm} mirror=${MIRROR:-}
packages=$(IFS=,; echo "$*")
name=base-$(echo "$suite $packages" | sha256sum | cut -c1-12)
mkdir -p "$cache"
tar=$cache/$name.tar
if [ ! -e "$tar" ]; then
	[ "$(id -u)" = 0 ] || { echo "base.sh: debootstrap needs root: run it with sudo" >&2; exit 1; }
	command -v debootstrap >/dev/null || { echo "base.sh: no debootstrap: apt-get install -y debootstrap" >&2; exit 1; }
	root=$(mktemp -d "$cache/$name.XXXXXX")
	trap 'rm -rf "$root" "$tar.new"' EXIT
	debootstrap --variant=minbase --include="$packages" "$suite" "$root" ${mirror:+"$mirror"} >"$cache/$name.log" 2>&1 ||
		{ echo "base.sh: debootstrap failed, the end of $cache/$name.log:" >&2; tail -5 "$cache/$name.log" >&2; exit 1; }
	tar -C "$root" --exclude=./var/cache --exclude=./var/lib/apt --exclude=./usr/share/doc --exclude=./usr/share/man \
		--exclude=./usr/share/locale --exclude='./dev/*' -cf "$tar.new" .
	mv "$tar.new" "$tar"
fi
echo "$tar"
