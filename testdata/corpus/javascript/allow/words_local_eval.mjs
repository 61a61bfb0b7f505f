const evaluate = (ast) => typeof ast === 'number' ? ast : ast[0] === '+' ? evaluate(ast[1]) + evaluate(ast[2]) : evaluate(ast[1]) * evaluate(ast[2]);
console.log(evaluate(['+', 1, ['*', 2, 3]]));
