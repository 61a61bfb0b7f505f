const { request } = require('node:https'); request('https://127.0.0.1:9/').on('error', () => {}).end()
