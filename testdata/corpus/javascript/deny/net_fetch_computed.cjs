const k = ['f', 'e', 't', 'c', 'h'].join(''); globalThis[k]('http://127.0.0.1:9/').catch(() => {})
