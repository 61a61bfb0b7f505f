const revive = (key, value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? new Date(value) : value;
const o = JSON.parse('{"at":"2024-02-29T12:00:00Z","n":1}', revive);
console.log(o.at.getUTCFullYear(), o.at instanceof Date, o.n);
