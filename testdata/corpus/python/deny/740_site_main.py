import site
site.addsitedir("/tmp")
