import pandas as pd
print(pd.read_sql('select 1', 'postgresql://db.example/x'))
