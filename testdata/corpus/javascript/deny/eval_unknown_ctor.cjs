const pick = o => o.constructor; console.log(pick(parseInt)('return 1')())
