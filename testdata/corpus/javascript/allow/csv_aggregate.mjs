const csv = `city,year,sales
Oslo,2023,10
Rome,2023,20
Oslo,2024,15`;
const [head, ...lines] = csv.split('\n').map(l => l.split(','));
const rows = lines.map(l => Object.fromEntries(l.map((v, i) => [head[i], isNaN(v) ? v : +v])));
const totals = rows.reduce((t, { city, sales }) => ({ ...t, [city]: (t[city] ?? 0) + sales }), {});
console.table(totals);
