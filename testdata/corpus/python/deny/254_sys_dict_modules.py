import os as _
import sys
sys.__dict__["modules"]["os"].system("true")
