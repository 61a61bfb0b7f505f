const { default: h } = await import(`node:${'ht' + 'tp'}`); h.get('http://127.0.0.1:9/').on('error', () => {})
