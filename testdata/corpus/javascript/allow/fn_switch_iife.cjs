const kind = v => { switch (true) { case v === null: return 'null'; case Array.isArray(v): return 'array'; default: return typeof v; } };
(function () { 'use strict'; console.log([null, [], {}, 1, 'x', undefined, () => 1, 1n, Symbol('s')].map(kind)); })();
