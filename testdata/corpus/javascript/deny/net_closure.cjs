const make = () => { const h = require('http'); return { go: u => h.get(u) } }; make().go('http://127.0.0.1:9/').on('error', () => {})
