from unittest import mock
with mock.patch("os.getcwd") as m: pass
p=mock.patch("subprocess.Popen")
t=p.getter()
print(t.getoutput("expr 40 + 1001"))
