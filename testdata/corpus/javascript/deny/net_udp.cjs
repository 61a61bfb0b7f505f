const s = require('dgram').createSocket('udp4'); s.send('x', 9, '127.0.0.1', () => s.close())
