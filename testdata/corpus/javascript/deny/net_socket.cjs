new (require('net').Socket)().on('error', () => {}).connect(9, '127.0.0.1')
