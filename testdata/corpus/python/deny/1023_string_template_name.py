import string
__import__(string.Template("$a").substitute(a="os")).system("expr 40 + 1001")
