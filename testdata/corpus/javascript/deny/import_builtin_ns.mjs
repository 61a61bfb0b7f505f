import * as M from 'module'; M.default._load('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
