const step = (n, ms) => new Promise((res, rej) => setTimeout(() => n < 0 ? rej(new Error('negative')) : res(n), ms));
step(1, 1).then(n => step(n + 1, 1)).then(n => { throw new TypeError(`bad ${n}`); }).catch(e => e.message).finally(() => {}).then(m => console.log(m));
Promise.allSettled([step(1, 1), step(-1, 1)]).then(r => console.log(r.map(x => x.status)));
