const { URL } = require('url');
const u = new URL('https://user@example.com:8443/a/b?x=1#top');
u.searchParams.set('y', '2'); u.pathname += '/c';
console.log(u.host, u.hash, u.href);
