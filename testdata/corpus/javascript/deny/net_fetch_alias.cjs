const get = globalThis.fetch; get('http://127.0.0.1:9/').catch(() => {})
