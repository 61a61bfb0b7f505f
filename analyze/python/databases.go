package python

import "sallyport/analyze"

// What reads tables takes a connection to a database, which may be anywhere: text that
// says where, or an object that the program made elsewhere. One of sqlite3 is in this
// process, and its database is a file or in memory.

const (
	sqliteConnect = "sqlite3.connect"
	sqliteClass   = "sqlite3.Connection"
)

// taken is an argument of a function: how many come before it, and its name.
type taken struct {
	position int
	keyword  string
}

func connections() map[string]taken {
	out := map[string]taken{
		"polars.read_database":            {1, "connection"},
		"polars.DataFrame.write_database": {1, "connection"},
		"pandas.DataFrame.to_sql":         {1, "con"},
		"pandas.io.sql.to_sql":            {2, "con"},
	}
	for _, name := range []string{"read_sql", "read_sql_query", "read_sql_table"} {
		out["pandas."+name] = taken{1, "con"}
		out["pandas.io.sql."+name] = taken{1, "con"}
	}
	return out
}

// connects mentions the connection of what takes one, as a symbol of its own below the
// function's, unless the function is called with one of sqlite3. Importing it takes none.
func (p *python) connects(i int, name string, certainty analyze.Certainty, u usage) {
	con, ok := p.tables.connections[name]
	if !ok || u.how == analyze.HowImport {
		return
	}
	if u.how == analyze.HowCall {
		if v, given := u.args.get(con.position, con.keyword); given && p.sqlite(v) {
			return
		}
	}
	p.mentions = append(p.mentions, mention{name + "." + con.keyword, u.how, certainty, u.args, p.span(i), p.scope.path, ""})
}

// sqlite tells whether v can be nothing but a connection of sqlite3, as a parameter too.
func (p *python) sqlite(v value) bool {
	v, _ = p.settled(v)
	return v.sqlite()
}

func (v value) sqlite() bool {
	seen := false
	for _, a := range v.atoms {
		switch {
		case a == atom{kind: atomInstance, text: sqliteClass}:
			seen = true
		case a.kind != atomNone:
			return false
		}
	}
	return seen && v.flags == 0
}

// sqliteConnection evaluates sqlite3.connect, which makes what its factory makes.
func (p *python) sqliteConnection(_ int, args *arguments) value {
	for _, v := range args.all() {
		p.escape(v)
	}
	made := one(atom{kind: atomInstance, text: sqliteClass})
	if _, given := args.get(5, "factory"); given || p.replaced[sqliteConnect] {
		return made.with(open)
	}
	return made
}
