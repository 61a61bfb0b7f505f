#!/bin/bash
# Builds sallyport/server, the server in a container, from the programs in bin/
# and a base image that has the interpreters, without a network.
#
#   server.sh ENGINE BASE TAG
#
# ENGINE is the command, docker or podman, with its options if it needs any.
set -euo pipefail
engine=${1:?usage: server.sh ENGINE BASE TAG} base=${2:?base image} tag=${3:?tag}
cd "$(dirname "$0")"
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
mkdir "$context/programs"
cp ../bin/sallyport ../bin/runsc ../bin/sallyport-guest "$context/programs" ||
	{ echo "server.sh: the programs are not built: make build" >&2; exit 1; }
chmod 755 "$context/programs" "$context"/programs/*
DOCKER_BUILDKIT=0 $engine build --network none --force-rm -f server.Dockerfile --build-arg "BASE=$base" -t "sallyport/server:$tag" "$context" >"$context/log" 2>&1 ||
	{ echo "server.sh: building failed:" >&2; tail -20 "$context/log" >&2; exit 1; }
echo "sallyport/server:$tag $($engine image inspect --format '{{.Id}}' "sallyport/server:$tag")"
