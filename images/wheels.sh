#!/bin/bash
# Fetches the wheels of data.lock for one version of Python, hashes checked, so
# that the data image can be built without a network.
#
#   wheels.sh CACHE-DIRECTORY [PYTHON-VERSION]
#
# PYTHON-VERSION is that of the base image, 3.11 unless told. Prints the
# directory; one that is there already, for the same lock, is used again. Needs
# pip and a package index.
set -euo pipefail
cache=${1:?usage: wheels.sh CACHE-DIRECTORY [PYTHON-VERSION]} python=${2:-3.11}
lock=$(dirname "$0")/data.lock arch=$(uname -m)
dir=$cache/wheels-$python-$arch-$(sha256sum <"$lock" | cut -c1-12)
if [ ! -d "$dir" ]; then
	mkdir -p "$cache"
	rm -rf "$dir.new"
	platforms=(--platform any --platform "manylinux2014_$arch")
	for glibc in 17 24 26 27 28 31 34; do platforms+=(--platform "manylinux_2_${glibc}_$arch"); done
	python3 -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
		--python-version "$python" --implementation cp --abi "cp${python/./}" --abi abi3 --abi none "${platforms[@]}" \
		--dest "$dir.new" -r "$lock" >&2
	mv "$dir.new" "$dir"
fi
echo "$dir"
