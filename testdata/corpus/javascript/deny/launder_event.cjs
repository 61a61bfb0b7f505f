const E=require('events'); const e=new E(); e.on('x',r=>r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})); e.emit('x',require);
