const DAY = 24 * 60 * 60 * 1000;
const days = (a, b) => Math.round((Date.parse(b) - Date.parse(a)) / DAY);
const fmt = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
console.log(days('2024-01-01', '2024-12-31'), fmt.format(new Date('2024-05-06')));
