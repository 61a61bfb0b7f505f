try { process.kill(process.pid, 0) } catch {}
