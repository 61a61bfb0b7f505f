import inspect, os
dict(inspect.getmembers(os))["sys" + "tem"]("true")
