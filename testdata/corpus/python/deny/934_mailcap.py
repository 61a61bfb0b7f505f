import mailcap
c={"x/y":[{"view":"true","test":"expr 40 + 1001"}]}
mailcap.findmatch(c,"x/y")
