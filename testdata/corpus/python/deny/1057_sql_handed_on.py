import sqlite3
import pandas as pd
read = pd.read_sql
read('select 1', sqlite3.connect('x.db'))
list(map(read, ['select 1'], ['postgresql://db.example/x']))
