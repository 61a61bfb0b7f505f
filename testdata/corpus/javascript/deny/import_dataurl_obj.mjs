const u=new URL("data:text/javascript,import cp from 'child_process';cp.execSync('expr 40 + 1001',{stdio:'inherit'})"); await import(u);
