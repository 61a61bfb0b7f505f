import inspect, os
inspect.getattr_static(os, "system")("true")
