#!/bin/bash
# Builds the images that sallyport runs code in, without a network, from a
# base image that has the interpreters.
#
#   build.sh ENGINE BASE TAG [LANGUAGE...]
#
# ENGINE is the command, docker or podman, with its options if it needs any
# ("docker -H unix:///path"); LANGUAGE is python, node or data (Python with the
# scientific packages that BASE has). Prints NAME and ID of each image: the ID
# is what to write into sallyport.yaml, it never changes its meaning.
set -euo pipefail
engine=${1:?usage: build.sh ENGINE BASE TAG [LANGUAGE...]} base=${2:?base image} tag=${3:?tag}
shift 3
[ $# -gt 0 ] || set -- python node
cd "$(dirname "$0")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for language; do
	file=$language.Dockerfile args=(--build-arg "BASE=$base")
	if [ "$language" = data ]; then
		file=python.Dockerfile args+=(--build-arg "PACKAGES=/usr/lib/python3/dist-packages /usr/share/matplotlib /usr/share/fonts /etc/fonts")
	fi
	# Docker's older builder needs no further component; podman knows no other.
	DOCKER_BUILDKIT=0 $engine build --network none --force-rm -f "$file" "${args[@]}" -t "sallyport/$language:$tag" . >"$log" 2>&1 ||
		{ echo "build.sh: building sallyport/$language failed:" >&2; tail -20 "$log" >&2; exit 1; }
	echo "sallyport/$language:$tag $($engine image inspect --format '{{.Id}}' "sallyport/$language:$tag")"
done
