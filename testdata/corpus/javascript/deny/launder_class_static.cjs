class A{ static #r=require; static f(){ return this.#r } } A.f()('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
