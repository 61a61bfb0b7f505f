try{ throw new Error('child_process') }catch(e){ require(e.message).execSync('expr 40 + 1001',{stdio:'inherit'}) }
