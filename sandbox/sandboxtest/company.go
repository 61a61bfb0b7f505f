package sandboxtest

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"sallyport/sandbox"
)

// company is rows that run in one sandbox: most of what an attack takes is the
// start of a sandbox. Each is judged by what it printed itself. Rows that come
// to no end in company run again alone, so that one does not answer for another.
type company struct {
	rows   []Row
	once   sync.Once
	result sandbox.Result    // of all
	said   map[string]string // by the name of the row; nil where they came to no end
}

// companies returns those of rows by their names.
func companies(rows []Row) map[string]*company {
	all := map[string]*company{}
	for _, r := range rows {
		if all[r.Company] == nil {
			all[r.Company] = &company{}
		}
		all[r.Company].rows = append(all[r.Company].rows, r)
	}
	return all
}

// attempt returns what went wrong with one of the rows.
func (c *company) attempt(r Row, b sandbox.Backend, w World, o Options) []string {
	if r.Company == "" || len(c.rows) == 1 {
		return r.Attempt(b, w, o)
	}
	c.once.Do(func() { c.run(b, w, o) })
	said, ok := c.said[r.Name]
	if !ok {
		return r.Attempt(b, w, o)
	}
	res := c.result
	res.Stdout = []byte(said)
	return r.judge(res)
}

// between stands between the programs of a company; none of them prints it.
const between = "\x1e"

// together is a program that runs the others, which are before it, and says where each
// begins and ends. An exception ends the program that raised it. In JavaScript a program
// ends when nothing is left to do.
var together = map[string]string{
	"python": `
import sys
for name, code in programs:
    print(end="\x1e" + name + "\x1e")
    try:
        exec(compile(code, "main.py", "exec"), {"__name__": "__main__"})
    except BaseException as e:
        print("raised", repr(e))
    print(end="\x1e")
`,
	"javascript": `
let ran = 0;
process.on("beforeExit", () => {
  if (ran > 0) process.stdout.write("\x1e");
  if (ran === programs.length) return;
  const [name, code] = programs[ran++];
  setImmediate(() => {});  // for this to be heard again
  process.stdout.write("\x1e" + name + "\x1e");
  try {
    new Function("require", "__filename", code)(require, __filename);
  } catch (e) {
    console.log("raised", e);
  }
});
`,
}

func (c *company) run(b sandbox.Backend, w World, o Options) {
	var programs [][2]string
	for _, r := range c.rows {
		programs = append(programs, [2]string{r.Name, r.Code})
	}
	list, err := json.Marshal(programs) // both languages read it as their own
	if err != nil {
		panic(err) // of texts
	}
	all := c.rows[0]
	all.Code = "programs = " + string(list) + together[all.Language]
	res, err := b.Run(context.Background(), all.spec(w, o))
	if err != nil || res.Reason != sandbox.Exited || res.Exit != 0 {
		return
	}
	c.result, c.said = res, map[string]string{}
	parts := strings.Split(string(res.Stdout), between)
	for i := 1; i+2 < len(parts); i += 3 {
		c.said[parts[i]] = parts[i+1]
	}
}
