const k = Symbol('k'); const o = { [k]: require('child_process') }; console.log(String(o[k].execSync('expr 40 + 1001')))
