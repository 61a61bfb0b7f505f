const b = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]); console.log(WebAssembly.validate(b))
