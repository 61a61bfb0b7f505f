const text = '{"items":[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]}],"total":2}';
const data = JSON.parse(text);
const out = data.items.map(({ id, tags }) => ({ id, count: tags.length }));
console.log(JSON.stringify({ out, total: data.total }, null, 2));
