import cProfile
cProfile.run(str(1))
