import pandas as pd

df = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
df = df.eval("c = a + b")
print(df.query("c > 6"))
