const M=require('module'); M.globalPaths; M.Module._load('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
