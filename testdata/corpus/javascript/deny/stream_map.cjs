const {Readable}=require('stream');
Readable.from(['process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})']).map(eval).toArray();
