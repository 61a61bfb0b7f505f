#!/bin/bash
# Builds the images that sallyport runs code in, without a network, from a
# base image that has the interpreters.
#
#   build.sh ENGINE BASE TAG [LANGUAGE...]
#
# ENGINE is the command, docker or podman, with its options if it needs any
# ("docker -H unix:///path"); LANGUAGE is python, node or data (Python with the
# packages of data.lock; WHEELS names their directory, see wheels.sh). Prints
# NAME and ID of each image: the ID is what to write into sallyport.yaml, it
# never changes its meaning.
set -euo pipefail
engine=${1:?usage: build.sh ENGINE BASE TAG [LANGUAGE...]} base=${2:?base image} tag=${3:?tag}
shift 3
[ $# -gt 0 ] || set -- python node
wheels=${WHEELS:+$(cd "$WHEELS" && pwd)}
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for language; do
	rm -rf "$work/context"
	mkdir "$work/context"
	cp collect.sh unpack.py data.lock "$language.Dockerfile" "$work/context"
	if [ "$language" = data ]; then
		[ -n "$wheels" ] || { echo "build.sh: the data image needs its wheels: WHEELS=\$(images/wheels.sh DIRECTORY) $0 ..." >&2; exit 1; }
		cp -r "$wheels" "$work/context/wheels"
	fi
	# Docker's older builder needs no further component; podman knows no other.
	DOCKER_BUILDKIT=0 $engine build --network none --force-rm -f "$work/context/$language.Dockerfile" --build-arg "BASE=$base" \
		-t "sallyport/$language:$tag" "$work/context" >"$work/log" 2>&1 ||
		{ echo "build.sh: building sallyport/$language failed:" >&2; tail -20 "$work/log" >&2; exit 1; }
	echo "sallyport/$language:$tag $($engine image inspect --format '{{.Id}}' "sallyport/$language:$tag")"
done
