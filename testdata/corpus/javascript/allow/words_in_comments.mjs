// require('child_process').exec('rm -rf /')
/* eval(fetch('http://example.com')) --> not code */
const note = 'process.binding is bad'; // <!-- nor is this
console.log(note.length);
