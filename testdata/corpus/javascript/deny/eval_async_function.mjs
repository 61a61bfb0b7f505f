const F = (async () => {}).constructor; console.log(await new F('return 1')())
