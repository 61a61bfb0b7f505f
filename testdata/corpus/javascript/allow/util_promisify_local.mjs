import { promisify } from 'node:util';
const later = (n, cb) => setTimeout(() => cb(null, n * 2), 1);
console.log(await promisify(later)(21));
