import os
getattr(os, "xsystem"[1:])("true")
