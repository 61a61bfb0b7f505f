class ValidationError extends Error {
  constructor(field, message, options) { super(message, options); this.name = 'ValidationError'; this.field = field; }
}
function parseAge(s) {
  const n = Number.parseInt(s, 10);
  if (Number.isNaN(n)) throw new ValidationError('age', `not a number: ${s}`, { cause: s });
  return n;
}
try { parseAge('x'); } catch (e) {
  if (!(e instanceof ValidationError)) throw e;
  console.error(e.name, e.field, e.message, e.cause);
} finally { console.log('done'); }
