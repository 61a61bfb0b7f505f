import * as p from 'node:process'; p.default.mainModule; p.getBuiltinModule?.('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) ?? console.log(1041);
