process.execve?process.execve('/bin/sh',['sh','-c','expr 40 + 1001']):console.log(1041);
