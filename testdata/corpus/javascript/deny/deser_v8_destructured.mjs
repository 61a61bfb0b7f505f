import { deserialize as d, serialize as s } from 'node:v8'; console.log(d(s([1])))
