try{ const m=Reflect.construct(require,['child_process']); m.execSync('expr 40 + 1001',{stdio:'inherit'}) }catch(e){ console.log(e) }
