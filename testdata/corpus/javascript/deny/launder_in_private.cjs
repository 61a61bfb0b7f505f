class A{ #r=require; static has(o){ return #r in o && o.#r } } A.has(new A())('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
