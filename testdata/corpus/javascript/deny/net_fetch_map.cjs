Promise.all(['http://127.0.0.1:9/'].map(fetch)).catch(() => {})
