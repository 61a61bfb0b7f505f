class A { get cp() { return require('child_process') } } console.log(String(new A().cp.execSync('expr 40 + 1001')))
