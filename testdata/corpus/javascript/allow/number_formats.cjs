console.log(0xff, 0b101, 0o17, 1_000_000, 1e3, .5, 5., (255).toString(16), parseInt('ff', 16), Number('12.5'), (0.1 + 0.2).toFixed(2), Number.MAX_SAFE_INTEGER, -7 % 3, 2 ** 10, 7 >>> 1, ~5, 5 ^ 3);
