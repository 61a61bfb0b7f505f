import sqlite3
import pandas as pd
pd.read_sql('select 1', *['postgresql://db.example/x'], sqlite3.connect('x.db'))
