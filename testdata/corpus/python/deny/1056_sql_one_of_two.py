import sqlite3, sys
import pandas as pd
con = sqlite3.connect('x.db')
if len(sys.argv) > 1:
    con = sys.argv[1]
print(pd.read_sql_query('select 1', con))
