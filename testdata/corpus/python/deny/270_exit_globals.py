import site
site.setquit.__globals__["os"].system("true")
