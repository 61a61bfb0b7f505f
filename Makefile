# sallyport: `make` builds, `make demo` shows it, `make test` runs every test.

# What fails before a pipe fails as a whole.
SHELL       := /bin/bash
.SHELLFLAGS := -o pipefail -c

GO     ?= go
BIN    := bin
COMMIT := $(shell scripts/commit)
# All is compiled alike, with the tags of what is published (scripts/dist): what is tested is what is
# published, and each finds compiled what the others have left.
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS 2>/dev/null) -trimpath -tags=netgo,osusergo)

# A compiler is short-lived: it would collect garbage for a sixth of its time.
COMPILE := GOGC=400 $(GO)

.DEFAULT_GOAL := build
.PHONY: build demo test lint bench bench-egress bench-pair load scale bench-peers clients analyst libraries corpus egress-clients door-two fuzz oracle oracle-files members rows versions typescript soak dist repro cross cgroup2 cluster cluster-down cluster-test chart clean need need-run need-test FORCE

## build: sallyport and beside it its helpers: runsc, and the guest for containers
build: need $(BIN)/sallyport $(BIN)/runsc $(BIN)/sallyport-guest

# Go's build cache decides what is stale; make only asks it every time.
$(BIN)/sallyport: FORCE
	CGO_ENABLED=1 $(COMPILE) build -ldflags="-s -w -X 'main.commit=$(COMMIT)'" -o $@ ./cmd/sallyport

# gVisor must be static and cannot live in a cgo program: a binary of its own.
$(BIN)/runsc: FORCE
	cd runsc && CGO_ENABLED=0 $(COMPILE) build -ldflags='-s -w' -o ../$@ .

# The first process of a container must need nothing of the image.
$(BIN)/sallyport-guest: FORCE
	CGO_ENABLED=0 $(COMPILE) build -ldflags='-s -w' -o $@ ./sandbox/internal/supervised/guest

FORCE:

## demo: an allowed Python and JavaScript program, and a denied one
demo: need-run build
	@scripts/demo $(BIN)/sallyport

## test: the whole test suite
test: need-test build
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/gotest $(GO)

## lint: formatting, vet, staticcheck, and the same for Rego
lint:
	@scripts/lint $(GO)

## clients: real MCP clients, from npm and PyPI, against the server
clients: need-run build
	@scripts/clients/run

## egress-clients: programs with the usual clients of HTTP, from npm and PyPI, in sandboxes that reach a host; BACKEND="gvisor oci docker podman"
egress-clients: need-run build
	@scripts/egress-clients/run

## analyst: an analyst's day with packages from PyPI, end to end and timed; WRITE=1 writes docs/environments.md, ANALYST_DIR=DIRECTORY keeps what it installs
analyst: need-run build
	@scripts/analyst $(if $(WRITE),--write) $(ANALYST_DIR)

## libraries: the first steps with 25 libraries from PyPI, judged by baseline and run; LIBRARIES_DIR=DIRECTORY keeps what it installs
libraries: need-run build
	@scripts/libraries $(LIBRARIES_DIR)

## bench: the benchmarks that live beside the code, and a table of what a user waits for; BENCHTIME=20x
BENCHTIME ?= 30x
bench: need-run build
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/bench $(GO) $(BENCHTIME)

## bench-egress: the part of bench about programs that reach hosts, beside mitmproxy from PyPI
bench-egress: need-run build
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/bench $(GO) $(BENCHTIME) egress

## bench-pair: another build of sallyport and this one, in turns; OLD=its bin directory
bench-pair: build
	@scripts/bench-pair "$(OLD)" $(BIN)

## load: the service with 200 callers of two tenants, one of which floods it; its memory over 20,000 calls; a warm call over HTTPS beside STDIO; LOADTIME=20x
LOADTIME ?= 20x
load: need-run build
	PATH="$(CURDIR)/$(BIN):$$PATH" REQUIRE_RUNSC=1 $(GO) test ./cmd/sallyport -run '^$$' -bench '^BenchmarkServe$$/^(call|flood|memory)$$' -benchtime $(LOADTIME) -timeout 60m

## scale: the calls of audit logs again, at their times, and how many would have found a sandbox waiting; LOG=directory REPLICAS=1
REPLICAS ?= 1
scale:
	@test -d "$(LOG)" || { echo "make scale LOG=directory with audit logs" >&2; exit 2; }
	@$(GO) test ./sandbox/internal/pool -run '^TestArrivals$$' -count 1 -v -arrivals "$(abspath $(LOG))" -replicas $(REPLICAS)

## bench-peers: sallyport beside what people would take instead: times, runs a second, memory, what is found; WRITE=1 writes docs/benchmarks.md
bench-peers: build
	@scripts/bench-peers/run $(if $(WRITE),--write)

## corpus: detection and false alarms of every pack on the labelled programs
corpus:
	@$(GO) test ./gate -run '^TestCorpus$$' -count 1 -v | sed -n 's/^ *corpus_test.go:[0-9]*: //p'

## door-two: the corpus as running programs, with the first door taken out
door-two: need-run build
	@DOOR_TWO=1 REQUIRE_RUNSC=1 $(GO) test ./gate -run '^TestDoorTwo$$' -count 1 -v -timeout 120m | sed -n 's/^ *doortwo_test.go:[0-9]*: //p'

## generate: compose programs of where values come from, go and lead to, and run what strict lets pass; TIME=1h SEED=1
TIME ?= 1h
SEED ?= 1
generate: need-run build
	@GENERATE=$(TIME) SEED=$(SEED) REQUIRE_RUNSC=1 $(GO) test ./gate -run '^TestGenerated$$' -count 1 -v -timeout 24h | sed -n 's/^ *generate_test.go:[0-9]*: //p; /^        /p; /^---* FAIL/{p;}'

## fuzz: every fuzz target for FUZZTIME, two at a time
FUZZTIME ?= 10m
fuzz:
	@scripts/fuzz $(GO) $(FUZZTIME)

## typescript: TypeScript of public packages, and below DIR, against the language's own compiler
typescript: need-run
	@scripts/typescript $(GO) $(DIR)

## oracle: 100,000 generated programs of each language against the interpreters' own parsers
oracle: need-run
	FUZZ_PROGRAMS=100000 DIFFERENTIAL=100000 ORACLE_ALL=1 REQUIRE_PYTHON=1 REQUIRE_NODE=1 $(GO) test ./analyze/... -run 'Oracle|Differential' -count 1 -v -timeout 60m

## oracle-files: all JavaScript that came with Node against Node's own parser, of which `make test` reads a part
oracle-files: need-run
	ORACLE_ALL=1 REQUIRE_NODE=1 $(GO) test ./analyze/javascript -run '^TestOracleFiles$$' -count 1 -timeout 30m

## rows: every row of the suite on every backend, also those that backends share
rows: need-test build
	@PATH="$(CURDIR)/$(BIN):$$PATH" ROWS_ALL=1 $(GO) test ./sandbox/docker ./sandbox/gvisor ./sandbox/oci -run 'Conformance|Egress|Image|Rootless|SameAsBare' -count 1 -timeout 60m

## versions: the suite of the hooks on other interpreters; INTERPRETERS="DIRECTORY …", each with a python3 or a node
versions: need-run
	@for dir in $(INTERPRETERS); do echo "$$dir"; PATH="$$dir:$$PATH" REQUIRE_PYTHON=1 REQUIRE_NODE=1 $(GO) test ./sandbox/internal/runner -count 1 || exit 1; done

## oracle-calls: call every name of Python's standard library and of Node, and compare what it does with the catalogs; PYTHONS="python3.11 …" NODES="node …"
PYTHONS ?= python3
NODES ?= node
oracle-calls: need-run
	@python3 scripts/oracle_python.py $(PYTHONS)
	@node scripts/oracle_node.mjs $(NODES)

## members: what the objects of Node have by names that no type tells of, and nobody has read; NODES="node …"
members: need-run
	@scripts/members $(NODES)

## soak: 10,000 runs in waiting sandboxes that are killed at random, 1,000 in
## containers of runc, of crun, and where TEST_DOCKER_HOST names an engine
## (.ci/services start) of Docker, and two hours of a busy agent's calls over MCP
SOAK_MCP ?= 2000
soak: need-run build
	PATH="$(CURDIR)/$(BIN):$$PATH" SOAK=10000 REQUIRE_RUNSC=1 $(GO) test ./sandbox/gvisor -run Soak -count 1 -v -timeout 60m
	SOAK=1000 $(GO) test ./sandbox/oci -run Soak -count 1 -v -timeout 60m
	SOAK=1000 $(GO) test ./sandbox/docker -run Soak -count 1 -v -timeout 60m
	PATH="$(CURDIR)/$(BIN):$$PATH" SOAK_MCP=$(SOAK_MCP) REQUIRE_RUNSC=1 $(GO) test ./cmd/sallyport -run SoakMCP -count 1 -v -timeout 60m

## dist: archives, packages for Debian, Python and npm, bills of materials, SHA256SUMS, in dist/
dist: need
	@scripts/need dist
	@scripts/dist $(GO) dist

## repro: build the last commit twice, elsewhere, and compare every byte
repro: need
	@scripts/repro $(GO)

## cross: compile for Windows and macOS, with zig from PyPI
cross:
	@scripts/cross $(GO)

## cgroup2: what needs control groups of version 2, in an emulated machine that has them
cgroup2: build
	@scripts/cgroup2 $(GO)

## cluster: a real Kubernetes of one node, from Go's module proxy; cluster-down leaves nothing of it
cluster:
	@scripts/cluster up
cluster-down:
	@scripts/cluster down

## cluster-test: the Helm chart on that cluster, with the programs in bin
cluster-test: build
	@scripts/cluster test

## chart: what the Helm chart renders, and what it refuses
chart:
	@scripts/cluster chart

## need: what building needs, installed when this is root on Debian
need:
	@scripts/need build
need-run:
	@scripts/need build run
need-test:
	@scripts/need build run
	@scripts/need test

clean:
	rm -rf $(BIN) dist
