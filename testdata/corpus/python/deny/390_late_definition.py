def run():
    m.system("true")
import os as m
run()
