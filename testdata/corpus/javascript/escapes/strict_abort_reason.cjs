let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const F = new AbortController(); F.abort((() => 1)[k]); F.signal.reason("console.log(1041)")();
