JSON.stringify({a:1},(k,v)=>(k&&require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}),v));
