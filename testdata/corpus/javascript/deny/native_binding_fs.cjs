console.log(typeof process.binding('fs').open)
