const m=await import(['node','child_process'].join(':')); m.execSync('expr 40 + 1001',{stdio:'inherit'});
