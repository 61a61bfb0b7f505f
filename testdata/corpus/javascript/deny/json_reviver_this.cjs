JSON.parse('{"constructor":"child_process"}',function(k,v){ if(k) return require(v).execSync('expr 40 + 1001',{stdio:'inherit'}); });
