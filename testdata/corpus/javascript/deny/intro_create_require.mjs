import { createRequire as make } from 'node:module'; console.log(make(import.meta.url)('path').sep)
