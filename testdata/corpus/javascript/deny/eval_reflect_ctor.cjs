console.log(Reflect.get(() => {}, 'constructor')('return 1')())
