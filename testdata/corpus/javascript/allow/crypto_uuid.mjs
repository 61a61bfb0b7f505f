import { randomUUID, createHash } from 'node:crypto';
const id = randomUUID();
console.log(/^[0-9a-f-]{36}$/.test(id), createHash('md5').update(id).digest('hex').length, crypto.getRandomValues(new Uint8Array(4)).length);
