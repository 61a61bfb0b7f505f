from os import environ as e
dict(e)
