const { ['ev' + 'al']: run } = globalThis; console.log(run('1 + 1'))
