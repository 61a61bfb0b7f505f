const path = require('path');
console.log(path.join('/a', '..', 'b', './c.txt'), path.basename('/x/y.tar.gz', '.gz'), path.extname('a.b'), path.relative('/a/b', '/a/c'), path.posix.normalize('a//b'), path.sep);
