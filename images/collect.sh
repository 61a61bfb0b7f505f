#!/bin/sh
# Copies an interpreter and what it needs into an empty root: nothing else of
# the image it runs in comes along, no shell, no package manager, no users.
#
#   collect.sh python3|node ROOT [DIRECTORY...]
#
# Further directories (a module path such as /usr/lib/python3/dist-packages)
# are copied whole, with the libraries that their native modules need.
set -eu
name=$1 root=$2
shift 2

program=$(readlink -f "$(command -v "$name")")
put() { # keeps the path, and the target of a link with it
	[ -e "$root$1" ] && return
	mkdir -p "$root$(dirname "$1")"
	cp -a "$1" "$root$1"
	if [ -L "$1" ]; then put "$(readlink -f "$1")"; fi
}
libraries() { # of the given files; what is no dynamic object has none
	# What is in the root already, found by a path relative to its user, stays.
	ldd "$@" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | grep -v "^$root/" | sort -u
}

mkdir -p "$root/etc" "$root/tmp" "$root/workspace" "$root/usr/bin" "$root/usr/lib"
for link in bin lib lib32 lib64 libx32 sbin; do # merged /usr, where the image has it
	if [ -L "/$link" ]; then mkdir -p "$root/usr/$link"; cp -a "/$link" "$root/$link"; fi
done
put "$program"
case $program in */"$name") ;; *) ln -sf "$program" "$root/usr/bin/$name" ;; esac
if [ "$name" = python3 ]; then
	for dir in $("$program" -c 'import sysconfig as s; print(s.get_path("stdlib"), s.get_path("platstdlib"))' | tr ' ' '\n' | sort -u); do
		set -- "$dir" "$@"
	done
fi
for dir in "$@"; do
	[ -d "$dir" ] || continue
	mkdir -p "$root$dir"
	cp -a "$dir/." "$root$dir"
done

objects=$(find "$root" -name '*.so*' -type f)
for lib in $(libraries "$program" $objects); do
	put "$lib"
	# The C library loads this one by itself, where a thread is ended.
	case $lib in */libc.so.6) [ ! -e "${lib%/*}/libgcc_s.so.1" ] || put "${lib%/*}/libgcc_s.so.1" ;; esac
done
for lib in $(libraries $(find "$root" -name '*.so*' -type f)); do put "$lib"; done
for extra in /usr/share/zoneinfo /etc/ssl/openssl.cnf /usr/share/nodejs; do
	if [ "$name" = node ] || [ "$extra" != /usr/share/nodejs ]; then [ ! -e "$extra" ] || put "$extra"; fi
done

# What only matters to people, to builds and to installers.
rm -rf "$root"/usr/lib/python3*/test "$root"/usr/lib/python3*/idlelib "$root"/usr/lib/python3*/ensurepip \
	"$root"/usr/lib/python3*/config-* "$root"/usr/share/nodejs/npm "$root"/usr/share/nodejs/corepack
find "$root" -name __pycache__ -prune -o -name '*.a' -type f -exec rm -f {} +
find "$root" -perm /6000 -type f -exec chmod ug-s {} +

echo 'root:x:0:0:root:/:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin' > "$root/etc/passwd"
echo 'root:x:0:
nogroup:x:65534:' > "$root/etc/group"
echo 'hosts: files' > "$root/etc/nsswitch.conf"
if [ "$name" = python3 ]; then # bytecode now, not at every start: the root is read-only
	"$program" -m compileall -q -j 0 -s "$root" -p / "$root/usr/lib" >/dev/null 2>&1 || true
fi
