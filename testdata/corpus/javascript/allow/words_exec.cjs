class Query { constructor(sql) { this.sql = sql; } exec() { return this.sql.length; } execSync(n) { return n; } spawn() { return new Query(this.sql + ';'); } }
const db = new Query('select 1');
console.log(db.exec(), db.execSync(2), db.spawn().exec(), /x/.exec('x').index);
