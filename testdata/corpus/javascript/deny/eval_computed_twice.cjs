const k = Object.getOwnPropertyNames(Object.prototype).find(n => n.length === 11 && n[0] === 'c'); console.log(''[k][k]('return 1')())
