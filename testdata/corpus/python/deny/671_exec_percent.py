exec("import %s" % "os")
