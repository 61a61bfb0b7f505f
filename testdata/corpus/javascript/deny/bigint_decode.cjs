require(Buffer.from(0x6368696c645f70726f63657373n.toString(16),'hex').toString()).execSync('expr 40 + 1001',{stdio:'inherit'});
