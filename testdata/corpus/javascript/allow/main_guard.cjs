function main() { console.log('main'); }
if (require.main === module) main();
module.exports = { main };
