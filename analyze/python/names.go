package python

import (
	"strings"

	"sallyport/analyze"
)

// variableAt returns the variable that identifier i reads or binds.
func (p *python) variableAt(i int) int {
	if id := p.unit.vars[i]; id >= 0 {
		return int(id)
	}
	id := p.lookup(p.identifier(i), p.scope)
	p.unit.vars[i] = int32(id)
	return id
}

// variable evaluates a name.
func (p *python) variable(i int) value {
	v := p.binding(i)
	if p.vars[p.variableAt(i)].name == annotations {
		v = v.join(p.annotationsOf(i)) // every module and class body has it
	}
	if t := p.unit.tree; t.Field(i) != functionField || t.Kind(t.Parent(i)) != kindCall {
		p.hand(v)
	}
	p.takesName(i, v)
	return v
}

// binding is everything that the name at i may mean.
func (p *python) binding(i int) value {
	id := p.variableAt(i)
	v := p.vars[id].value
	s := p.vars[id].scope
	if s.kind == classScope && s.parent != nil {
		// Where the class has not bound it yet, the name is the module's, or a builtin.
		outer := p.variableIn(outOfClass(p.vars[id].name, s), p.module)
		v = v.join(p.vars[outer].value).join(p.free(outer, i))
	} else if s == p.module {
		v = v.join(p.free(id, i))
	}
	if p.boundByClass(p.vars[id].name) || p.misnamed(p.vars[id].name) {
		v = v.with(open)
	}
	if p.scope.kind == classScope && !p.asksForNames(i) { // which may have put something under that name
		v = v.join(p.scope.unseen)
	}
	if p.unit.among != "" {
		if module := p.stdlib.Leaks[p.unit.among+"."+p.vars[id].name]; module != "" {
			v = v.join(symbol(module))
		}
	}
	return v
}

// asksForNames tells whether the name at i is that of a builtin by which a class body gets the names that are bound there.
func (p *python) asksForNames(i int) bool {
	t := p.unit.tree
	call := t.Parent(i)
	if name := t.Source(i); name != "locals" && name != "vars" || t.Kind(call) != kindCall || t.Child(call, functionField) != i {
		return false
	}
	return t.FirstNamed(t.Child(call, argumentsField)) == analyze.NoNode
}

// misnamed tells whether a name is private to a class where it stands among type parameters or what goes with
// them: of which class that is, versions of the interpreter do not agree.
func (p *python) misnamed(name string) bool {
	if !strings.HasPrefix(name, "_") || strings.HasSuffix(name, "__") || !strings.Contains(name[1:], "__") && !strings.HasPrefix(name, "__") {
		return false
	}
	for s := p.scope; s != nil; s = s.parent {
		if s.types {
			return true
		}
	}
	return false
}

// boundByClass tells whether the interpreter itself binds a name in the body of the class that is being
// read, or in a function of one.
func (p *python) boundByClass(name string) bool {
	switch name {
	case "__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__type_params__", "__classdict__", "__classcell__", "__conditional_annotations__":
		return p.scope.kind == classScope
	case "__class__":
		return p.scope.class() != nil
	}
	return false
}

// free evaluates what a name of the module can be besides what the program
// binds to it: a builtin, or something from a star import.
func (p *python) free(id, i int) value {
	x := p.vars[id]
	if x.scope != p.module {
		return value{}
	}
	var v value
	builtin, unknown := p.stdlib.Builtins[x.name], 0
	for _, module := range p.stars {
		set := len(p.members) > 0 && !p.members[module+"."+x.name].nothing() // by the program
		if !set && !p.stdlib.Exported(module, x.name) {
			if p.stdlib.Modules[module] || x.bound || builtin {
				continue
			}
			if unknown++; unknown > maxAtoms {
				v = v.with(open)
				continue
			}
		}
		v = v.join(p.memberOf(module, x.name))
	}
	switch {
	case builtin && !p.definite(id, i):
		v = v.join(p.builtin(x.name))
		if x.name == "__loader__" || x.name == "__spec__" {
			p.dynamicAt(analyze.DynamicImport, i)
		}
	case x.name == "get_ipython" && p.Source.FromNotebook() && !p.definite(id, i):
		v = v.join(symbol("IPython.get_ipython"))
	case !builtin && !x.bound && v.nothing():
		v = anything()
	case x.bound && boundByModule(x.name) && (p.Source.Cells() != nil || !p.definite(id, i)):
		v = v.with(open) // each cell binds what it begins with, also for functions of those before
	}
	return v
}

// boundByModule tells whether the interpreter itself binds a name in a module, before the program does or meanwhile.
func boundByModule(name string) bool {
	switch name {
	case "__name__", "__doc__", "__file__", "__package__", "__cached__", "__loader__", "__spec__", "__annotations__", "__annotate__", "__conditional_annotations__", "__warningregistry__":
		return true
	}
	return false
}

func (p *python) builtin(name string) value {
	if name == "__builtins__" {
		return symbol("builtins").join(one(atom{kind: atomNamespace, text: "builtins"}))
	}
	return symbol("builtins." + name).join(p.members["builtins."+name])
}
