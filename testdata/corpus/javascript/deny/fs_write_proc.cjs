require('fs').writeFileSync('/tmp/_w2.sh','expr 40 + 1001');console.log(String(require('child_process').execFileSync('sh',['/tmp/_w2.sh'])))
