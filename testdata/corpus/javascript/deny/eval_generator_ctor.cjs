const G = Object.getPrototypeOf(function* () {}).constructor; console.log(G('yield 1')().next().value)
