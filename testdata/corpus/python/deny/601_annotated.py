import os
from typing import Annotated
x: Annotated[int, os.system("true")] = 1
