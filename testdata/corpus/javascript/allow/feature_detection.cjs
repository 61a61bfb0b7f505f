const has = { fetch: typeof fetch === 'function', win: typeof window !== 'undefined', req: typeof require === 'function', proc: typeof process !== 'undefined', ev: typeof eval };
console.log(has);
