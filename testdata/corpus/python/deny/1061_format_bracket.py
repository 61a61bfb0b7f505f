import glob
print('{0[}].os.environ}'.format({'}': glob}))
