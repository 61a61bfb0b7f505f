import requests as pd
pd.get("http://127.0.0.1:1/")
