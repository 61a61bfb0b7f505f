import sqlite3

conn = sqlite3.connect(":memory:")
cursor = conn.cursor()
cursor.execute("create table t (id integer, name text)")
cursor.executemany("insert into t values (?, ?)", [(1, "a"), (2, "b")])
for row in cursor.execute("select name from t order by id"):
    print(row[0])
conn.close()
