eval('eval("eval(\'1\')")')
