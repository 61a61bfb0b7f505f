const frame = { rows: [1, 2], eval(expr) { return this.rows.map(r => expr.replace('x', r)); }, query(q) { return this.eval(q); } };
console.log(frame.eval('x+1'), frame.query('x'));
