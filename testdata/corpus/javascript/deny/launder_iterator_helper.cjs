const m=[['child_process']].values(); const [x]=m.next().value; require(x).execSync('expr 40 + 1001',{stdio:'inherit'});
