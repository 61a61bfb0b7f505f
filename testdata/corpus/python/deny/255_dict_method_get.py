import os
os.__dict__.get("system")("true")
