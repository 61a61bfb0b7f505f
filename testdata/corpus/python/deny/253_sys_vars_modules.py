import os as _
import sys
vars(sys)["modules"]["os"].system("true")
