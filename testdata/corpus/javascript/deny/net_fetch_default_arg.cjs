function load(url, via = fetch) { return via(url) } load('http://127.0.0.1:9/').catch(() => {})
