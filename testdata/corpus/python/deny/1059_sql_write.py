import pandas as pd
pd.DataFrame().to_sql('t', 'postgresql://db.example/x')
