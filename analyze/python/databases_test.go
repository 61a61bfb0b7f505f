package python

import (
	"slices"
	"strings"
	"testing"

	"sallyport/analyze/analyzetest"
)

// takesConnection tells whether a program may reach another machine for its tables.
func takesConnection(t *testing.T) func(source string) bool {
	return func(source string) bool {
		return slices.ContainsFunc(analyzetest.Facts(t, Reader(), source).Names, func(name string) bool {
			return strings.HasSuffix(name, ".con") || strings.HasSuffix(name, ".connection")
		})
	}
}

// TestConnections tells what reads tables from a connection of sqlite3 from what may
// reach another machine for them.
func TestConnections(t *testing.T) {
	t.Parallel()
	takes := takesConnection(t)
	for _, source := range []string{
		"import sqlite3, pandas as pd; print(pd.read_sql('select 1', sqlite3.connect(':memory:')))",
		"import sqlite3, pandas as pd; c = sqlite3.connect('x.db'); pd.DataFrame().to_sql('t', c); print(pd.read_sql_query('select 1', con=c))",
		"import sqlite3;from contextlib import closing;from pandas import read_sql_query as r\nwith closing(sqlite3.connect('x.db')) as c: print(r('select 1', c))",
		"import sqlite3, pandas as pd\nwith sqlite3.connect('x.db') as c: pd.DataFrame().to_sql('t', con=c, index=False)",
		"import sqlite3, pandas as pd\nconn = None\ntry:\n  conn = sqlite3.connect('x.db')\n  print(pd.read_sql('select 1', conn))\nfinally:\n  conn.close()",
		"import sqlite3, pandas as pd\ndef get(): return sqlite3.connect('x.db')\nprint(pd.read_sql('select 1', get()))",
		"import sqlite3, pandas as pd\ncon: sqlite3.Connection = sqlite3.connect('x.db')\ncon.row_factory = sqlite3.Row\ncur = con.cursor()\ncur.execute('create table t(a)')\nprint(pd.read_sql('select 1', con))",
		"import polars as pl, sqlite3; print(pl.read_database('select 1', sqlite3.connect('x')))",
		"import sqlite3, pandas as pd\nwith sqlite3.connect('x.db') as conn:\n  for q in ['a', 'b']:\n    df = pd.read_sql_query(q, conn)\n    print(df)\n  df.to_sql('out', conn, if_exists='replace', index=False)",
		"import sqlite3, pandas as pd\ndef f(conn): return pd.read_sql('q', conn)\nprint(f(sqlite3.connect('x.db')))",
		"import sqlite3, pandas as pd\ndef save(df, con=None): df.to_sql('t', con)\ndef main():\n  c = sqlite3.connect('x')\n  save(pd.DataFrame(), con=c)\nif __name__ == '__main__': main()",
		"import sqlite3, pandas as pd\ndef g(conn): return pd.read_sql('q', conn)\ndef f(conn): return g(conn)\nwith sqlite3.connect('x') as c: f(c)\nf(sqlite3.connect('y'))",
		"import sqlite3, pandas as pd\ndef f(*conns):\n  def g(conn): return pd.read_sql('q', conn)\n  return g(sqlite3.connect('x'))\nf()",
	} {
		if takes(source) {
			t.Errorf("another connection than of sqlite3 in:\n%s", source)
		}
	}
	for _, source := range []string{
		"import pandas as pd; pd.read_sql('x', 'postgresql://h/x')",
		"import pandas as pd; pd.read_sql('x', 'sqlite:///x')",
		"import pandas as pd\ndef f(conn): return pd.read_sql('q', conn)",
		"import pandas as pd, sqlite3, sys; c = sqlite3.connect('x')\nif sys.argv: c = sys.argv[1]\npd.read_sql('x', c)",
		"import pandas as pd, sqlite3; pd.read_sql('x', *['postgresql://h/x'], sqlite3.connect('x'))",
		"import pandas as pd, sqlite3, sys; pd.read_sql('x', *sys.argv[1:], sqlite3.connect('x'))",
		"import pandas as pd, sqlite3; pd.read_sql('x', *[], 'postgresql://h/x', sqlite3.connect('x'))",
		"import pandas as pd, sqlite3; f = pd.read_sql; f('x', sqlite3.connect('x')); list(map(f, ['q'], ['postgresql://h/x']))",
		"import pandas as pd, sqlite3; pd.read_sql('x', **{'con': 'postgresql://h/x'})",
		"import pandas as pd, sqlite3; pd.read_sql('x', sqlite3.connect('x', factory=lambda *a: 'postgresql://h/x'))",
		"import pandas as pd, sqlite3; pd.read_sql('x', sqlite3.connect('x', **{'factory': lambda *a: 'postgresql://h/x'}))",
		"import pandas as pd, sqlite3\nfor c in [sqlite3.connect('x'), 'postgresql://h/x']: pd.read_sql('x', c)",
		"import pandas as pd; pd.DataFrame().to_sql('x', 'postgresql://h/x')",
		"import pandas as pd; pd.io.sql.read_sql('x', 'postgresql://h/x')",
		"from functools import partial; import pandas as pd, sqlite3; partial(pd.read_sql, con='postgresql://h/x')('q')",
		"import pandas as pd, sqlite3\nclass C(sqlite3.Connection):\n  def __enter__(self): return 'postgresql://h/x'\nwith C('x') as c: pd.read_sql('q', c)",
		"import pandas as pd, sqlite3\nsqlite3.connect = lambda *a: 'postgresql://h/x'\npd.read_sql('q', sqlite3.connect('x'))",
		"import pandas as pd, sqlite3\nsetattr(sqlite3, 'connect', lambda *a: 'postgresql://h/x')\npd.read_sql('q', sqlite3.connect('x'))",
		"import pandas as pd, sqlite3\nfrom unittest import mock\nwith mock.patch('sqlite3.connect', lambda *a: 'postgresql://h/x'): pd.read_sql('q', sqlite3.connect('x'))",
		"import pandas as pd, sqlite3\ndef f(con=sqlite3.connect('x')): pd.read_sql('q', con)\nf.__defaults__ = ('postgresql://h/x',)\nf()",
		"import pandas as pd, sqlite3\ndef f(con=sqlite3.connect('x')): pd.read_sql('q', con)\nlist(map(f, ['postgresql://h/x']))",
		"import pandas as pd, sqlite3\ndef f(con=sqlite3.connect('x')): pd.read_sql('q', con)\nimport threading\nthreading.Thread(target=f, args=('postgresql://h/x',)).start()",
		"import pandas as pd, sqlite3\nc = sqlite3.connect('x')\nglobals()['c'] = 'postgresql://h/x'\npd.read_sql('q', c)",
		"import pandas as pd, sqlite3\nc = sqlite3.connect('x')\nglobals().update(c='postgresql://h/x')\npd.read_sql('q', c)",
		"import pandas as pd, sqlite3\nc = sqlite3.connect('x')\nexec(\"c = 'postgresql://h/x'\")\npd.read_sql('q', c)",
		"import polars as pl, sys; pl.read_database('q', sys.argv[1])",
		"import pandas as pd, sqlite3\nclass F:\n  connect = sqlite3.connect\npd.read_sql('q', F.connect('x'))",
	} {
		if !takes(source) {
			t.Errorf("only sqlite3 in:\n%s", source)
		}
	}
}

// TestGiven tells parameters that nothing but calls which are seen give something to from
// others.
func TestGiven(t *testing.T) {
	t.Parallel()
	var many strings.Builder // definitions: more than are kept apart
	for range maxAtoms + 1 {
		many.WriteString("def f(conn): return conn\n")
	}
	takes := takesConnection(t)
	base := "import sqlite3, pandas as pd\ndef f(conn): return pd.read_sql('q', conn)\nf(sqlite3.connect('x'))\n"
	if takes(base) {
		t.Errorf("another connection than of sqlite3 in:\n%s", base)
	}
	for _, more := range []string{ // calls that are something else, or not seen
		"import main; main.f('postgresql://h/x')", "f('postgresql://h/x')", "f(conn='postgresql://h/x')", "f(*['postgresql://h/x'])", "f(**{'conn': 'postgresql://h/x'})", "import sys; f(*sys.argv[1:])", "f(open('x'))",
		"g = f; g('postgresql://h/x')", "list(map(f, ['postgresql://h/x']))", "(f)('postgresql://h/x')", "[f][0]('postgresql://h/x')", "f.__call__('postgresql://h/x')",
		"globals()['f']('postgresql://h/x')", "globals()[input()]('postgresql://h/x')", "print([v for v in globals().values()])", "vars()['f']('postgresql://h/x')",
		"import __main__; __main__.f('postgresql://h/x')", "from __main__ import f as g; g('postgresql://h/x')", "from __main__ import *\nf('postgresql://h/x')",
		"import sys; sys.modules[__name__].f('postgresql://h/x')", "import sys; sys.modules['__main__'].f('postgresql://h/x')", "import importlib; importlib.import_module('__main__').f('x')",
		"import __main__; __main__.f.__call__('postgresql://h/x')", "globals()['f'].__call__('postgresql://h/x')",
		"import lib; lib.find().f('postgresql://h/x')", "import lib; lib.find()['f']('postgresql://h/x')", "import lib; getattr(lib.find(), input())('postgresql://h/x')",
		"import lib, operator; list(map(operator.attrgetter(input()), lib.find()))[0]('postgresql://h/x')",
		"import lib; lib.find().__dict__[input()]('postgresql://h/x')", "import lib; vars(lib.find())[input()]('postgresql://h/x')",
		"import atexit; atexit.register(f, 'postgresql://h/x')", "f.__defaults__ = ('postgresql://h/x',)", "exec(\"f('postgresql://h/x')\")", "import timeit; timeit.timeit(\"f('x')\", globals=globals())",
		"import pydoc; pydoc.locate('__main__.f')('x')", "class C: g = f\nC.g('x')", "class C: pass\nC.g = f", "lambda: f", "@f\ndef g(): pass",
		"match 1:\n  case f.x: pass", "import pytest; pytest.main([__file__])", "f = print if input() else f", "def g(h=f): h('x')\ng()", "f += 1",
		"import doctest\ndef g():\n  '>>> f(\"postgresql://h/x\")'\ndoctest.testmod()",
	} {
		if source := base + more; !takes(source) {
			t.Errorf("only sqlite3 in:\n%s", source)
		}
	}
	for _, source := range []string{
		"@print\ndef f(conn): return pd.read_sql('q', conn)\nf(sqlite3.connect('x'))",
		"class C:\n  def f(conn): return pd.read_sql('q', conn)\n  f(sqlite3.connect('x'))",
		"f = lambda conn: pd.read_sql('q', conn)\nf(sqlite3.connect('x'))",
		"def f(conn):\n  conn = conn or input()\n  return pd.read_sql('q', conn)\nf(sqlite3.connect('x'))",
		"def f(conn):\n  def g():\n    nonlocal conn\n    conn = 'postgresql://h/x'\n  g()\n  return pd.read_sql('q', conn)\nf(sqlite3.connect('x'))",
		"def f(conn='postgresql://h/x'): return pd.read_sql('q', conn)\nf(sqlite3.connect('x'))",
		"def g(conn): return pd.read_sql('q', conn)\ndef f(conn): return g(conn)\nf(sqlite3.connect('x'))\nf('x')",
		"def load_tests(conn): return pd.read_sql('q', conn)\nload_tests(sqlite3.connect('x'))",
		"def __getattr__(conn): return pd.read_sql('q', conn)\n__getattr__(sqlite3.connect('x'))",
		"def f(conn): return pd.read_sql('q', conn)\nf(sqlite3.connect('x'))\n" + many.String() + "f('postgresql://h/x')",
	} {
		if !takes("import sqlite3, pandas as pd\n" + source) {
			t.Errorf("only sqlite3 in:\n%s", source)
		}
	}
}
