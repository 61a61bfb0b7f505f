const x = 2; console.log(eval(`1 + ${x}`))
