const rows = [{ id: 1, name: 'a, "quoted"' }, { id: 2, name: 'line\nbreak' }];
const quote = v => /[",\n]/.test(v) ? `"${String(v).replace(/"/g, '""')}"` : String(v);
const csv = [Object.keys(rows[0]).join(','), ...rows.map(r => Object.values(r).map(quote).join(','))].join('\n');
console.log(csv);
