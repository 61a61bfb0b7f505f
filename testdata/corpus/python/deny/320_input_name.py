import os
getattr(os, input())("true")
