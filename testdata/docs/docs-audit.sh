. "$ROOT/testdata/docs/log.sh"
