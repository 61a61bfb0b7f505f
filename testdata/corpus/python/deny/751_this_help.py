import pydoc
pydoc.pipepager("x", "true")
