const { dlopen } = process; try { dlopen({ exports: {} }, '/none.node') } catch {}
