package javascript

import (
	"slices"
	"strings"

	"sallyport/analyze"
)

// A function that reads a file opens it as its options say: {flag: "w+"} makes one. One that looks for a
// pattern does so below what they call cwd.
// A stream opens the file that its path says when it comes to it, which is later.

// readers are the functions that take a flag, or flags, among their options.
var readers = map[string]bool{
	"node:fs.readFile": true, "node:fs.readFileSync": true, "node:fs.createReadStream": true, "node:fs.ReadStream": true, "node:fs.FileReadStream": true,
	"node:fs.promises.readFile": true, "node:fs/promises.readFile": true,
}

// opens looks at a call of one of the readers, and says what else it comes to.
func (j *javascript) opens(name string, a arguments, i int) {
	if globs[name] {
		j.looksBelow(name, a, i)
		return
	}
	if !readers[name] {
		return
	}
	if strings.HasSuffix(name, "Stream") && !j.streams {
		j.streams = true
		j.learned(nil)
	}
	for _, s := range [...]value{a.get(1), a.rest} {
		for _, v := range s {
			if j.opensToWrite(v, i) {
				j.mention("node:fs.openSync", i, analyze.HowCall, false, a.facts(), a.splat)
				return
			}
		}
	}
	if j.opensShared(name, a) || j.waitsForFile(name) {
		j.mention("node:fs.openSync", i, analyze.HowCall, false, a.facts(), a.splat)
	}
}

// globs are the functions that look for a pattern below the directory which their options call cwd.
var globs = map[string]bool{"node:fs.glob": true, "node:fs.globSync": true, "node:fs.promises.glob": true, "node:fs/promises.glob": true}

// looksBelow says that the call of one of globs lists that directory.
func (j *javascript) looksBelow(name string, a arguments, i int) {
	var given value
	for _, s := range [...]value{a.get(1), a.rest} {
		for _, v := range s {
			given = j.join(given, j.asOption(v, "cwd", i))
			excludes := j.asOption(v, "exclude", i)
			j.hears(excludes, one(withInside(searchOfGlob))) // also one that an accessor gives
			j.remembersInside(searchOfGlob, arguments{positional: []value{excludes}}, i)
			if j.asOption(v, "withFileTypes", i).maybeTrue() && (strings.Contains(name, "promises") || excludes.maybeTrue()) {
				given = j.join(given, anything()) // whoever is told of an entry can say that it is another, where Node goes on
			}
		}
	}
	if slices.ContainsFunc(given, func(v atom) bool { return v.kind != atomUndefined }) {
		j.mention("node:fs.readdirSync", i, analyze.HowCall, false, arguments{positional: []value{given}}.facts(), false)
	}
}

// maybeTrue tells whether s may be something that counts as true.
func (s value) maybeTrue() bool {
	return slices.ContainsFunc(s, func(v atom) bool { return v.kind != atomUndefined && v.kind != atomNull && v != falseValue[0] })
}

// asOption is what options may have under a key.
func (j *javascript) asOption(v atom, key string, i int) value {
	switch {
	case v.noName() || v.kind == atomObject && v.obj.callable(): // who is told what was found
		return nil
	case v.kind != atomObject, v.obj.proxied, len(v.obj.rest) > 0:
		return anything()
	}
	given := j.join(j.sharedAt(key), j.sharedAt(anyKey))
	if v.obj.escaped && !j.standsIn(v.obj, i) {
		given = j.join(given, j.stored(key))
	}
	switch p := v.obj.props[key]; {
	case p != nil:
		given = j.join(given, *p)
	case v.obj.getter(key) != nil || len(v.obj.proto) > 0:
		given = j.join(given, j.localMember(v.obj, key, objectValue(v.obj), i))
	}
	return given
}

// opensShared tells whether any object may have flags that open a file to write, where a function asks one that
// has none of its own: a stream does, of a copy of its options.
func (j *javascript) opensShared(name string, a arguments) bool {
	if !strings.HasSuffix(name, "Stream") && !slices.ContainsFunc(append(slices.Clip(a.get(1)), a.rest...), func(v atom) bool { return v.kind == atomObject && !v.obj.callable() }) {
		return false
	}
	return slices.ContainsFunc(j.join(j.sharedFlags("flag"), j.sharedFlags("flags")), opensWith) ||
		strings.HasSuffix(name, "Stream") && slices.ContainsFunc(j.sharedAt("fd"), func(v atom) bool { return !v.noName() })
}

// waitsForFile tells whether a function awaits a handle of the file, which a method that the program has put on
// what all objects inherit may take.
func (j *javascript) waitsForFile(name string) bool {
	return strings.Contains(name, "promises.") && j.mayReplace("then")
}

// opensWith tells whether a flag may open a file to write.
func opensWith(f atom) bool {
	switch {
	case f.noName():
	case f.kind == atomString && (f.text == "r" || f.text == "rs" || f.text == "sr"):
	case f.kind == atomNumber && f.num == 0:
	default:
		return true
	}
	return false
}

func (j *javascript) opensToWrite(v atom, i int) bool {
	switch v.kind {
	case atomObject:
		if v.obj.code != nil {
			return false
		}
	case atomUnknown, atomComputed:
		return true
	case atomBytes: // which may have got options by an assignment
		return j.written
	default:
		return false
	}
	o := v.obj
	if len(o.rest) > 0 || o.proxied {
		return true
	}
	for _, key := range []string{"flag", "flags", "fd"} {
		var given value
		switch p := o.props[key]; {
		case p != nil:
			given = *p
		case o.getter(key) != nil || len(o.proto) > 0:
			given = j.localMember(o, key, objectValue(o), i)
		}
		if o.escaped && !j.standsIn(o, i) {
			given = j.join(given, j.storedFlags(key))
		}
		if slices.ContainsFunc(given, func(f atom) bool { return opensWith(f) || key == "fd" && !f.noName() }) { // which is another file than the path says
			return true
		}
	}
	return false
}

// standsIn tells whether an object stands among the arguments of the call at node i: nobody had it before.
func (j *javascript) standsIn(o *object, i int) bool {
	list := j.tree.Parent(o.node)
	return j.tree.Kind(list) == kindArguments && j.tree.Parent(list) == i
}

// sharedFlags is shared for the flags that files are opened with.
func (j *javascript) sharedFlags(key string) value {
	return j.withFlags(j.sharedAt(key), j.sharedAt(anyKey))
}

// storedFlags is stored for the flags that files are opened with.
func (j *javascript) storedFlags(key string) value {
	own, loose := j.place(key), j.place(anyKey)
	j.reads(&own.readBy)
	j.reads(&loose.readBy)
	return j.withFlags(own.values, loose.values)
}

// withFlags adds to out what is under keys that are not known, of that the texts alone that are flags, or are
// not known, either.
func (j *javascript) withFlags(out, loose value) value {
	for _, v := range loose {
		if v.kind == atomUnknown || v.kind == atomAnyString || v.kind == atomString && len(v.text) <= 3 && strings.ContainsAny(v.text, "aw+") {
			out = j.add(out, v)
		}
	}
	return out
}

// opensAny notes that a member of which the name is not known is called where there are streams
// that read files: it may be the class of one, which opens any file.
func (j *javascript) opensAny(at int) {
	if j.streams {
		j.perhaps("node:fs.ReadStream", at, analyze.HowCall)
	}
	if j.tree.Kind(at) == kindNewExpression && slices.Contains(j.insides, classOfDirectory) {
		j.perhaps(classOfDirectory, at, analyze.HowCall)
	}
}

// reopened looks at a member that is assigned to on what is not known, where there are
// streams that read files.
func (j *javascript) reopened(keys value, at int) {
	if !j.streams || !j.emit {
		return
	}
	for _, k := range keys {
		if key, ok := propertyKey(k); ok && key != "path" && key != "flags" && key != "fd" {
			continue
		}
		j.perhaps("node:fs.ReadStream.path", at, analyze.HowAssign)
		return
	}
}
