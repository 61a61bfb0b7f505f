const F = (() => {}).bind().constructor; console.log(F('return 1')())
