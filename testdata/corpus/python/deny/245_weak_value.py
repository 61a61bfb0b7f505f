import os, weakref
weakref.ref(os)().system("true")
