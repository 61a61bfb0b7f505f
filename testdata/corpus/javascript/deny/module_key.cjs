const k='require'; module[k]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
