Error.prepareStackTrace = (e, frames) => frames; console.log(new Error().stack.length)
