class Account { static #next = 1; #balance = 0; log = []; constructor(owner) { this.owner = owner; this.id = Account.#next++; } deposit(n) { this.#balance += n; this.log.push(['deposit', n]); return this; } withdraw(n) { if (n > this.#balance) throw new Error('insufficient funds'); this.#balance -= n; this.log.push(['withdraw', n]); return this; } get balance() { return this.#balance; } toJSON() { return { id: this.id, owner: this.owner, balance: this.#balance }; } }
const acc = new Account('ann').deposit(100).withdraw(30);
console.log(JSON.stringify(acc), acc.log.length);
