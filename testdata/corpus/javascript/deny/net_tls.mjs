import tls from 'tls'; tls.connect(9, '127.0.0.1').on('error', () => {})
