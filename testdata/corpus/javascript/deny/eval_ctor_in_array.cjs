const key = ['constructor'][0]; console.log((x => x)[key]('return 1')())
