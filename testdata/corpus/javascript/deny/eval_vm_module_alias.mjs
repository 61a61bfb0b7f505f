import * as machine from 'node:vm'; console.log(new machine.Script('1 + 1').runInThisContext())
