let k = '';
for (const part of JSON.parse('["con","structor"]').map(x => x)) k += part;
const t = { then(r) { r((() => 1)[k]) } };
(async () => { const F = await t; F("console.log(1041)")(); })();
