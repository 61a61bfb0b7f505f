const money = 'cost: $12.50, tax: $1.25';
console.log(money.match(/(?<=\$)\d+\.\d\d/g).map(Number).reduce((x, y) => x + y));
