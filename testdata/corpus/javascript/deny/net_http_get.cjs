require('http').get('http://127.0.0.1:9/').on('error', () => {})
