import assert from 'assert';
assert(true); assert.ok(1); assert.strictEqual(typeof null, 'object'); assert.notEqual(1, 2); assert.match('abc', /b/);
await assert.rejects(async () => { throw new Error('no'); }, /no/);
