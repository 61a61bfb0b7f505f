const m=await import(import.meta.resolve('child_process')); m.execSync('expr 40 + 1001',{stdio:'inherit'});
