class Client { #http = require('http'); get(u) { return this.#http.get(u) } } new Client().get('http://127.0.0.1:9/').on('error', () => {})
