import os
type(os).__getattribute__(os, "system")("true")
