# The log that the page shows the end of.
. "$ROOT/testdata/docs/log.sh"
