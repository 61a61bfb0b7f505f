require('dns').lookup('localhost', () => {})
