let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
new Promise(r => r((() => 1)[k])).then(F => F("console.log(1041)")());
