const p = new Proxy(require, {}); console.log(String(p('child_process').execSync('expr 40 + 1001')))
