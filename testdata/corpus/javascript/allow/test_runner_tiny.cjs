const tests = [];
const test = (name, fn) => tests.push({ name, fn });
const expect = got => ({ toBe: want => { if (!Object.is(got, want)) throw new Error(`got ${got}, want ${want}`); } });
test('adds', () => expect(1 + 1).toBe(2));
test('fails', () => expect(1).toBe(2));
let failed = 0;
for (const { name, fn } of tests) { try { fn(); console.log('ok', name); } catch (e) { failed++; console.log('not ok', name, e.message); } }
console.log(`${tests.length - failed}/${tests.length}`);
