import os
[v for k, v in vars(os).items() if k == "sys" "tem"][0]("true")
