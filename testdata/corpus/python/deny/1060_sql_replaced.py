import sqlite3
from unittest import mock
import pandas as pd
with mock.patch('sqlite3.connect', lambda *a: 'postgresql://db.example/x'):
    pd.read_sql('select 1', sqlite3.connect('x.db'))
