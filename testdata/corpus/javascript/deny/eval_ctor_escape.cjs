console.log((() => {}).constr\u0075ctor('return 1')())
