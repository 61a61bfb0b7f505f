import pandas as pd

df = pd.DataFrame({"x": [1, 2, 3]})
df["y"] = df["x"].apply(lambda v: v ** 2)
df["z"] = df.apply(lambda row: row["x"] + row["y"], axis=1)
print(df.merge(df, on="x", suffixes=("_l", "_r")).describe())
