# expect: deny house/banned-library
import pandas

print(pandas.DataFrame({"a": [1, 2]}).describe())
