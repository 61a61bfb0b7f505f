try{ throw 1 }catch(e){ var e=require } try{ e }catch{}; (e||require)('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
