try { setTimeout('console.log(1)', 0) } catch (e) { console.log(e.code) }
