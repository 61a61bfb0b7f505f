import pandas as pd

pd.options.display.max_columns = 20
pd.set_option("display.width", 120)
df = pd.read_csv("data.csv", parse_dates=["date"])
df = df.dropna().assign(month=lambda d: d["date"].dt.month)
pivot = df.pivot_table(index="month", columns="kind", values="amount", aggfunc="sum")
pivot.to_csv("out.csv")
