fetch.call(undefined, 'http://127.0.0.1:9/').catch(() => {})
