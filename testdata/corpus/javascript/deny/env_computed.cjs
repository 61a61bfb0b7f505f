const p = process; console.log(p['e' + 'nv'].HOME)
