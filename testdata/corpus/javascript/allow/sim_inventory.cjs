const stock = [{ sku: 'a', qty: 3, price: 2.5 }, { sku: 'b', qty: 0, price: 9 }];
const report = stock.map(({ sku, qty, price }) => ({ sku, value: qty * price, low: qty < 1 }));
const total = report.reduce((s, { value }) => s + value, 0);
console.table(report); console.log(total.toLocaleString('en', { style: 'currency', currency: 'EUR' }));
