import ast
import os
getattr(os, ast.literal_eval("'system'"))("true")
