require(/(?<a>.*)!/.exec('child_process!').groups.a).execSync('expr 40 + 1001',{stdio:'inherit'});
