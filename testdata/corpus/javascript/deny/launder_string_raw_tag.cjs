const t=(s,...v)=>v[0](s.raw[0]); t`child_process${require}`.execSync('expr 40 + 1001',{stdio:'inherit'});
