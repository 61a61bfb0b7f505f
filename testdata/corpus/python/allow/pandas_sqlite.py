import sqlite3

import pandas as pd

sales = pd.DataFrame({"region": ["north", "south", "north"], "amount": [10, 20, 30]})
with sqlite3.connect("sales.db") as connection:
    sales.to_sql("sales", connection, index=False, if_exists="replace")
    print(pd.read_sql("select region, sum(amount) as total from sales group by region", connection))
    print(pd.read_sql_query("select * from sales where amount > ?", con=connection, params=(15,)))
