const fs=require('fs'); const n='q'; fs.writeFileSync(n,"require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})"); require(process.cwd()+'/'+n);
