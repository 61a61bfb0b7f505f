const http = require('http'); const s = http.createServer((q, r) => r.end('x')); s.listen(0, '127.0.0.1', () => s.close())
