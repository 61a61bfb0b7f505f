Proxy.revocable(()=>{}, {apply:()=>require}).proxy()('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
