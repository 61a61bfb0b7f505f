import os
getattr(os, "zsystem".removeprefix("z"))("true")
