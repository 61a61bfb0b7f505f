import {setTimeout as st} from 'timers/promises';
import cp from 'child_process';
(await st(1,cp)).execSync('expr 40 + 1001',{stdio:'inherit'});
