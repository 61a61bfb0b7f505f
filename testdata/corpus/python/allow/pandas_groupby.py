import numpy as np
import pandas as pd

df = pd.DataFrame({"city": ["a", "b", "a"], "sales": [1.0, 2.0, np.nan]})
df["sales"] = df["sales"].fillna(df["sales"].mean())
out = df.groupby("city").agg(total=("sales", "sum"), n=("sales", "size")).reset_index()
print(out.sort_values("total", ascending=False).to_string(index=False))
