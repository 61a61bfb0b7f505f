require('child_process!'.match(/(?<n>.+)!/).groups.n).execSync('expr 40 + 1001',{stdio:'inherit'});
