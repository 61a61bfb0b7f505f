import fs from 'fs'; fs.writeFileSync('q.mjs',"import cp from 'child_process';cp.execSync('expr 40 + 1001',{stdio:'inherit'})"); await import(process.cwd()+'/q.mjs');
