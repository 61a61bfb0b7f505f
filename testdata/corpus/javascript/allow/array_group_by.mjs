const people = [{ name: 'Ann', dept: 'eng', pay: 10 }, { name: 'Bob', dept: 'ops', pay: 8 }, { name: 'Cid', dept: 'eng', pay: 12 }];
const groups = {};
for (const p of people) {
  (groups[p.dept] ??= []).push(p);
}
for (const [dept, list] of Object.entries(groups)) {
  console.log(dept, list.length, list.reduce((s, p) => s + p.pay, 0));
}
