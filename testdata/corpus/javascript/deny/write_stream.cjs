const s = require('fs').createWriteStream('/tmp/sallyport-corpus'); s.end('x')
