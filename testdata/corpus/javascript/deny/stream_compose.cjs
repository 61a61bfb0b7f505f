const {Readable}=require('stream'); Readable.from(['child_process']).on('data',d=>require(d).execSync('expr 40 + 1001',{stdio:'inherit'}));
