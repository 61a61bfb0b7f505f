import os
object.__getattribute__(os, "system")("true")
