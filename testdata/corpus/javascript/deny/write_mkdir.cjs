const { mkdtempSync: m } = require('fs'); m('/tmp/sallyport-')
