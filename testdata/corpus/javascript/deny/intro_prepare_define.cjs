Object.defineProperty(Error, 'prepareStackTrace', { value: (e, f) => f }); console.log(Array.isArray(new Error('x').stack))
