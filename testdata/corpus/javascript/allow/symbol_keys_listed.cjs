const id = Symbol('id'), named = { [id]: 1, name: 'a', [Symbol()]: 2 };
console.log(Object.getOwnPropertySymbols(named).length, Object.getOwnPropertySymbols({ ...named, b: 2 }).map(String));
