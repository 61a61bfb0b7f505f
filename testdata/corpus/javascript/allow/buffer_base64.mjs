import { Buffer } from 'node:buffer';
const enc = Buffer.from('héllo wörld', 'utf8').toString('base64');
console.log(enc, Buffer.from(enc, 'base64').toString(), btoa('abc'), atob('YWJj'), new TextDecoder().decode(new TextEncoder().encode('ok')));
