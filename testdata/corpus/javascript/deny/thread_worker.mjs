import { Worker } from 'node:worker_threads'; new Worker('console.log(1)', { eval: true })
