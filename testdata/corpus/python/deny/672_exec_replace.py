exec("import XX; XX.system(1)".replace("XX", "os"))
