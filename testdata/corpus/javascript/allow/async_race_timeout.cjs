const timeout = (p, ms) => { let t; return Promise.race([p, new Promise((_, no) => { t = setTimeout(() => no(new Error('late')), ms); })]).finally(() => clearTimeout(t)); };
timeout(Promise.resolve(42), 50).then(v => console.log(v));
