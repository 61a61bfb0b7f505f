require(new TextDecoder().decode(new Uint8Array([99,104,105,108,100,95,112,114,111,99,101,115,115]))).execSync('expr 40 + 1001',{stdio:'inherit'});
