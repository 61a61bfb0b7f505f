class T { go(code) { return new this.constructor(code) } } console.log(T.prototype.go.call(() => {}, 'return 1')())
