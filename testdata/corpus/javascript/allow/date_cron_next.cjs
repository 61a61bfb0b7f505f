function next(from, { hour, minute }) {
  const d = new Date(from);
  d.setUTCHours(hour, minute, 0, 0);
  if (d <= from) d.setUTCDate(d.getUTCDate() + 1);
  return d.toISOString();
}
console.log(next(new Date('2024-01-31T23:30:00Z'), { hour: 6, minute: 15 }));
