try:
    import requests
    requests.get("http://127.0.0.1:1/")
except Exception:
    pass
