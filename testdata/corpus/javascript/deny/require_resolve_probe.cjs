try { console.log(require.resolve('/etc/passwd')); } catch (e) { console.log(e.code); }
