import pydoc
pydoc.pipepager("x","cat >/dev/null; expr 40 + 1001")
