import { rm } from 'node:fs/promises'; await rm('/tmp/sallyport-corpus-none', { force: true })
