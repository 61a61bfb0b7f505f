const s=Symbol(); const o={[s]:require}; o[Object.getOwnPropertySymbols(o)[0]]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
