import glob
print('{name}{.os.environ}'.format(glob, name=1))
