JSON.parse('{"m":"child_process"}',(k,v)=>k==='m'?require(v).execSync('expr 40 + 1001',{stdio:'inherit'}):v);
