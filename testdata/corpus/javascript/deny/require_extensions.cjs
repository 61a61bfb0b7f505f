require.extensions['.zz']=(m,f)=>m._compile("console.log(String(require('child_process').execSync('expr 40 + 1001')))",f);require('fs').writeFileSync('/tmp/_w.zz','');require('/tmp/_w.zz')
