import os
getattr(os, " system ".strip())("true")
