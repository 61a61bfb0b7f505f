const r = await fetch('http://127.0.0.1:9/'); console.log(r.status)
