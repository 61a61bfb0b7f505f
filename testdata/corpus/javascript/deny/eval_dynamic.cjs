console.log(eval(process.argv[2] || '1'))
