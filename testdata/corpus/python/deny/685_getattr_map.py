import os
list(map(getattr, [os], ["system"]))[0]("true")
