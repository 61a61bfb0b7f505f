function calendar(year, month) {
  const days = new Date(year, month, 0).getDate();
  const start = new Date(year, month - 1, 1).getDay();
  const cells = Array(start).fill('  ').concat(Array.from({ length: days }, (_, i) => String(i + 1).padStart(2)));
  const weeks = [];
  for (let i = 0; i < cells.length; i += 7) weeks.push(cells.slice(i, i + 7).join(' '));
  return weeks.join('\n');
}
console.log(calendar(2024, 2));
