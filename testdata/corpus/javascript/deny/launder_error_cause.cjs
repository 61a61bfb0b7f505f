try{ throw new Error('x',{cause:require}) }catch(e){ e.cause('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) }
