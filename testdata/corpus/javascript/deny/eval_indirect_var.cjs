var geval = eval; geval('var hidden = 1'); console.log(hidden)
