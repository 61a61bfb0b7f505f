import fs from 'node:fs'; fs.appendFileSync('/tmp/sallyport-corpus', 'x')
