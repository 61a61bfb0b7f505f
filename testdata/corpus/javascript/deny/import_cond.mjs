const m=await import(Math.random()>2?'fs':'child_process'); m.execSync('expr 40 + 1001',{stdio:'inherit'});
