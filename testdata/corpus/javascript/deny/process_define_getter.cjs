const o = {}; Object.defineProperty(o, 'x', { get: () => require('child_process') }); console.log(String(o.x.execSync('expr 40 + 1001')))
