# A log with an allowed and a denied program, a copy of it, and the id of a decision.
sallyport check hello.py >/dev/null
sallyport run shell.py 2>/dev/null || test $? = 3
sallyport audit search --effect deny | awk '{ print $2; exit }' >id
test -s id
cp -r "$XDG_STATE_HOME/sallyport/audit" copy
