const q = new URLSearchParams('a=1&b=2&a=3');
q.append('c', 'x y'); q.delete('b');
console.log(q.getAll('a'), q.toString(), Object.fromEntries(q));
