const prec = { '+': 1, '-': 1, '*': 2, '/': 2 };
const apply = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b };
function evaluate(expr) {
  const values = [], ops = [];
  const reduce = () => { const op = ops.pop(), b = values.pop(), a = values.pop(); values.push(apply[op](a, b)); };
  for (const t of expr.match(/\d+|[-+*/()]/g)) {
    if (/\d/.test(t)) values.push(+t);
    else if (t === '(') ops.push(t);
    else if (t === ')') { while (ops.at(-1) !== '(') reduce(); ops.pop(); }
    else { while (ops.length && prec[ops.at(-1)] >= prec[t]) reduce(); ops.push(t); }
  }
  while (ops.length) reduce();
  return values[0];
}
console.log(evaluate('2*(3+4)-5'));
