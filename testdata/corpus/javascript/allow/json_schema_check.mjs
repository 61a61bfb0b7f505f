const schema = { name: 'string', age: 'number', tags: 'object' };
function check(value) {
  const problems = [];
  for (const [key, type] of Object.entries(schema)) {
    if (typeof value[key] !== type) problems.push(`${key}: want ${type}, got ${typeof value[key]}`);
  }
  return problems;
}
console.log(check({ name: 'x', age: '3', tags: [] }));
