Object.entries({a:[require]}).flat(2).filter(x=>typeof x=='function')[0]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
