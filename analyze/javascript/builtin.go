package javascript

import (
	"strings"

	"sallyport/analyze"
	"sallyport/analyze/codec"
)

// callSymbol evaluates a call of an outside function.
func (j *jsWalk) callSymbol(name string, c jsCallee, a jsArgs, i int) jsSet {
	switch {
	case isLoader(name):
		return j.loadSet(a.get(0), i)
	case isEvaluator(name):
		return j.functionOf(a, i)
	case name == "globalThis.eval":
		j.codeSet(a.get(0), i)
		return unknownSet()
	case strings.HasPrefix(name, "globalThis.Object."):
		return j.callObject(strings.TrimPrefix(name, "globalThis.Object."), a, i)
	case strings.HasPrefix(name, "globalThis.Reflect."):
		return j.callReflect(strings.TrimPrefix(name, "globalThis.Reflect."), a, i)
	case strings.HasPrefix(name, "globalThis.Function.prototype.") && c.member:
		c.key = strings.TrimPrefix(name, "globalThis.Function.prototype.")
		if s, ok := j.forward(c, a, i); ok {
			return s
		}
	case strings.HasPrefix(name, "node:vm."):
		return j.callVM(strings.TrimPrefix(name, "node:vm."), a, i)
	}
	if s, ok := j.foldCall(name, a, i); ok {
		return s
	}
	if s, ok := j.callOther(name, a, i); ok {
		return s
	}
	if at := strings.LastIndex(name, ".prototype."); at >= 0 && c.member {
		c.key = name[at+len(".prototype."):]
		if s, ok := j.builtinMethod(c, a, i); ok {
			return s
		}
		j.escapeReceiver(c, i)
	}
	if !isInert(name) {
		j.escapeArgs(a, i)
	} else if len(a.sets) > 1 && !isQuietInert(name) {
		j.escapeArgs(a, i)
	}
	return unknownSet()
}

// callOther evaluates calls of functions that hand on what they are given.
func (j *jsWalk) callOther(name string, a jsArgs, i int) (jsSet, bool) {
	switch name {
	case "globalThis.process.binding", "globalThis.process._linkedBinding":
		if s, ok := a.get(0).str(); ok {
			return symbolSet(name + "." + s), true
		}
		j.unresolved(analyze.DynamicMember, i)
		return unknownSet(), true
	case "node:module.createRequire", "node:module.createRequireFromPath":
		return symbolSet("globalThis.require"), true
	case "globalThis.setTimeout", "globalThis.setInterval", "globalThis.setImmediate", "globalThis.queueMicrotask",
		"globalThis.process.nextTick":
		return j.callTimer(a, i), true
	case "globalThis.Promise.resolve", "globalThis.Promise.reject", "node:util.promisify", "node:util.callbackify", "node:util.deprecate",
		"globalThis.structuredClone":
		return j.union(a.get(0), unknownSet()), true
	case "globalThis.Promise.all", "globalThis.Promise.race", "globalThis.Promise.any":
		return j.union(a.get(0), j.elements(a.get(0), i)), true
	case "globalThis.Array.from":
		elements := j.elements(a.get(0), i)
		if f := a.get(1); len(f) > 0 {
			elements = j.returns(f, nil, elements, kindSet(jsAnyNumber))
		}
		return j.arrayOf(i, 6, elements), true
	case "globalThis.Array", "globalThis.Array.of":
		var all jsSet
		for _, s := range a.sets {
			all = j.union(all, s)
		}
		return j.arrayOf(i, 6, j.union(all, a.rest)), true
	case "globalThis.Object":
		if len(a.sets) > 0 {
			return a.get(0), true
		}
		return localSet(j.objectFor(i, 6)), true
	}
	return nil, false
}

// arrayOf returns the array number n that node i makes, holding elements.
func (j *jsWalk) arrayOf(i, n int, elements jsSet) jsSet {
	o := j.objectFor(i, n)
	o.array, o.mutable = true, true
	j.add(&o.rest, elements)
	return localSet(o)
}

// callTimer evaluates setTimeout and its like: strings were code once.
func (j *jsWalk) callTimer(a jsArgs, i int) jsSet {
	for _, v := range a.get(0) {
		switch v.kind {
		case jsConstString:
			j.code(v.text, jsStringCode, i)
			j.unresolved(analyze.DynamicCode, i)
		case jsAnyString:
			j.unresolved(analyze.DynamicCode, i)
		}
	}
	rest := a.shift(1)
	if rest = a.shift(2); len(a.sets) < 2 {
		rest.sets = nil
	}
	j.returns(a.get(0), nil, rest.sets...)
	return unknownSet()
}

// functionOf evaluates Function(parameters…, body).
func (j *jsWalk) functionOf(a jsArgs, i int) jsSet {
	text := make([]string, 0, len(a.sets))
	for _, s := range a.sets {
		t, ok := j.toStrings(s).str()
		if !ok {
			j.unresolved(analyze.DynamicCode, i)
			return unknownSet()
		}
		text = append(text, t)
	}
	if a.splat {
		j.unresolved(analyze.DynamicCode, i)
		return unknownSet()
	}
	if n := len(text); n > 0 {
		j.code("(async function*("+strings.Join(text[:n-1], ",")+"\n) {\n"+text[n-1]+"\n})", jsStringCode, i)
	}
	return unknownSet()
}

func (j *jsWalk) callVM(key string, a jsArgs, i int) jsSet {
	switch key {
	case "runInThisContext", "runInNewContext", "runInContext", "compileFunction", "Script", "SourceTextModule":
		j.codeSet(a.get(0), i)
	}
	return unknownSet()
}

func (j *jsWalk) callObject(key string, a jsArgs, i int) jsSet {
	first := a.get(0)
	switch key {
	case "freeze", "seal", "preventExtensions":
		return first
	case "assign":
		for n := 1; n < len(a.sets); n++ {
			for _, v := range first {
				if v.kind == jsLocal {
					v.obj.mutable = true
					j.spreadInto(v.obj, a.sets[n], i)
				} else if v.kind == jsSymbol {
					j.assignSymbol(v.text, kindSet(jsAnyString), a.sets[n], i, false)
				}
			}
		}
		j.escape(a.rest, i)
		return first
	case "create":
		o := j.objectFor(i, 6)
		o.mutable = true
		for _, v := range first {
			if v.kind != jsConstNull {
				j.add(&o.proto, oneOf(v))
			}
		}
		j.defineAll(localSet(o), a.get(1), i)
		return localSet(o)
	case "setPrototypeOf":
		for _, v := range first {
			if v.kind == jsLocal {
				j.add(&v.obj.proto, a.get(1))
			} else {
				j.escape(a.get(1), i)
			}
		}
		return first
	case "getPrototypeOf":
		return j.prototypeOf(first)
	case "values":
		return j.arrayOf(i, 6, j.valuesOf(first, i))
	case "entries":
		pair := j.objectFor(i, 7)
		pair.array = true
		j.add(pair.prop("0"), j.union(j.keysOf(first), kindSet(jsAnyString)))
		j.add(pair.prop("1"), j.valuesOf(first, i))
		return j.arrayOf(i, 6, localSet(pair))
	case "fromEntries":
		o := j.objectFor(i, 6)
		o.mutable = true
		j.add(&o.rest, j.memberOf(j.elements(first, i), "1", i))
		return localSet(o)
	case "keys", "getOwnPropertyNames":
		return j.keyArray(first, i)
	case "getOwnPropertyDescriptor":
		return j.descriptor(first, a.get(1), i)
	case "getOwnPropertyDescriptors":
		o := j.objectFor(i, 6)
		d := j.objectFor(i, 7)
		j.add(&o.rest, localSet(d))
		j.add(d.prop("value"), j.valuesOf(first, i))
		return localSet(o)
	case "defineProperty":
		j.define(first, a.get(1), a.get(2), i)
		return first
	case "defineProperties":
		j.defineAll(first, a.get(1), i)
		return first
	}
	if !isInert("globalThis.Object." + key) {
		j.escapeArgs(a, i)
	}
	return unknownSet()
}

// prototypeOf evaluates Object.getPrototypeOf.
func (j *jsWalk) prototypeOf(s jsSet) jsSet {
	var out jsSet
	for _, v := range s {
		switch {
		case v.kind == jsLocal && (v.obj.code != nil || v.obj.class != nil):
			out = j.union(out, symbolSet("globalThis.Function.prototype"))
		case v.kind == jsLocal && len(v.obj.proto) > 0:
			out = j.union(out, v.obj.proto)
		case v.kind == jsLocal && v.obj.instanceOf != nil:
			out = j.union(out, oneOf(v))
		case v.kind == jsSymbol && v.text == "globalThis.module":
			out = j.union(out, symbolSet("node:module.prototype"))
		case v.kind == jsSymbol:
			out = j.union(out, symbolSet("globalThis.Function.prototype"))
		default:
			out = j.union(out, unknownSet())
		}
	}
	return out
}

// valuesOf evaluates all members of s. All members of a module are too many.
func (j *jsWalk) valuesOf(s jsSet, i int) jsSet {
	var out jsSet
	for _, v := range s {
		switch {
		case v.kind == jsLocal:
			out = j.union(out, j.held(v.obj))
		case v.kind == jsSymbol:
			out = j.union(out, j.anyMember(oneOf(v), false, i))
		}
	}
	return j.union(out, unknownSet())
}

// keyArray evaluates Object.keys.
func (j *jsWalk) keyArray(s jsSet, i int) jsSet {
	o := j.objectFor(i, 6)
	o.array = true
	keys := j.keysOf(s)
	if keys.any(jsAnyString) || s.local() != nil && s.local().array {
		o.mutable = true
		j.add(&o.rest, kindSet(jsAnyString))
		return localSet(o)
	}
	for n, k := range keys {
		j.add(o.prop(formatNumber(float64(n))), oneOf(k))
	}
	return localSet(o)
}

func (j *jsWalk) descriptor(owner, keys jsSet, i int) jsSet {
	d := j.objectFor(i, 6)
	d.mutable = true
	j.keyProperties(keys, i)
	m := j.members(owner, keys, i)
	j.mentionSet(m, i, analyze.HowReference)
	j.add(d.prop("value"), m)
	for _, accessor := range []string{"get", "set"} {
		j.add(d.prop(accessor), unknownSet())
	}
	return localSet(d)
}

// defineAll evaluates Object.defineProperties.
func (j *jsWalk) defineAll(owner, descriptors jsSet, i int) {
	for _, v := range descriptors {
		if v.kind != jsLocal {
			j.escape(oneOf(v), i)
			continue
		}
		for _, k := range v.obj.keys {
			j.define(owner, stringSet(k), *v.obj.props[k], i)
		}
		if len(v.obj.rest) > 0 {
			j.define(owner, kindSet(jsAnyString), v.obj.rest, i)
		}
	}
}

// define evaluates Object.defineProperty and Reflect.defineProperty.
func (j *jsWalk) define(owner, keys, d jsSet, i int) {
	value := j.memberOf(d, "value", i)
	if g := d.local(); g != nil {
		if get := g.props["get"]; get != nil {
			value = j.union(value, j.returns(*get, owner))
		}
	}
	j.keyProperties(keys, i)
	j.assignMember(owner, keys, value, i)
}

func (j *jsWalk) callReflect(key string, a jsArgs, i int) jsSet {
	switch key {
	case "apply", "construct":
		c := jsCallee{node: i, functions: a.get(0), receiver: a.get(1), member: true}
		list := a.get(2)
		if key == "construct" {
			list = a.get(1)
		}
		rest := jsArgs{at: i}
		if len(list) > 0 {
			rest.spread(j, list, i)
		}
		j.mentionForward(c, rest, i, analyze.HowCall)
		if key == "apply" {
			return j.apply(c, rest, i)
		}
		var out jsSet
		for _, v := range c.functions {
			out = j.union(out, j.construct(v, rest, i))
		}
		return j.union(out, unknownSet())
	case "get":
		j.keyProperties(a.get(1), i)
		m := j.members(a.get(0), a.get(1), i)
		j.mentionSet(m, i, analyze.HowReference)
		return m
	case "set":
		j.keyProperties(a.get(1), i)
		j.assignMember(a.get(0), a.get(1), a.get(2), i)
		return unknownSet()
	case "getOwnPropertyDescriptor", "getPrototypeOf", "setPrototypeOf", "defineProperty":
		return j.callObject(key, a, i)
	case "has", "ownKeys":
		return unknownSet()
	}
	j.escapeArgs(a, i)
	return unknownSet()
}

// constructSymbol evaluates new of an outside class.
func (j *jsWalk) constructSymbol(name string, a jsArgs, i int) jsSet {
	if isLoader(name) {
		return j.loadSet(a.get(0), i)
	}
	switch name {
	case "globalThis.Function", "globalThis.AsyncFunction", "globalThis.GeneratorFunction", "globalThis.AsyncGeneratorFunction":
		return j.functionOf(a, i)
	case "node:vm.Script", "node:vm.SourceTextModule":
		return j.callVM(strings.TrimPrefix(name, "node:vm."), a, i)
	case "node:worker_threads.Worker", "globalThis.Worker":
		return j.constructWorker(a, i)
	case "globalThis.Proxy":
		return j.proxy(a, i)
	case "globalThis.Map", "globalThis.WeakMap":
		o := j.objectFor(i, 6)
		o.mutable, o.collection = true, true
		if len(a.sets) > 0 {
			pairs := j.elements(a.get(0), i)
			j.add(&o.rest, j.memberOf(pairs, "1", i))
			j.add(&o.mapKeys, j.memberOf(pairs, "0", i))
		}
		return localSet(o)
	case "globalThis.Set", "globalThis.WeakSet":
		o := j.objectFor(i, 6)
		o.mutable, o.collection, o.array = true, true, true
		if len(a.sets) > 0 {
			j.add(&o.rest, j.elements(a.get(0), i))
		}
		return localSet(o)
	case "globalThis.Array":
		s, _ := j.callOther(name, a, i)
		return s
	case "globalThis.String":
		return j.toStrings(a.get(0))
	case "globalThis.Object":
		s, _ := j.callOther(name, a, i)
		return s
	case "node:module", "node:module.Module":
		return symbolSet("node:module.prototype")
	}
	if !isInert(name) || len(a.sets) > 1 {
		j.escapeArgs(a, i)
	}
	return unknownSet()
}

// constructWorker evaluates new Worker: with eval set, the first argument is
// code.
func (j *jsWalk) constructWorker(a jsArgs, i int) jsSet {
	options := a.get(1).local()
	if options != nil && options.props["eval"] != nil {
		j.codeSet(a.get(0), i)
	} else if len(a.sets) > 1 && options == nil {
		j.unresolved(analyze.DynamicCode, i)
	}
	if text, ok := a.get(0).str(); ok {
		if code, isData := dataModule(text); isData {
			j.code(code, jsModuleCode, i)
		}
	}
	j.escapeArgs(a, i)
	return unknownSet()
}

// proxy evaluates new Proxy: its members are those of the target and whatever
// the handler's traps return.
func (j *jsWalk) proxy(a jsArgs, i int) jsSet {
	o := j.objectFor(i, 6)
	o.mutable, o.proxied = true, true
	target, handler := a.get(0), a.get(1)
	j.add(&o.proto, target)
	for _, v := range handler {
		if v.kind != jsLocal {
			j.escape(oneOf(v), i)
			j.escape(target, i)
			j.add(&o.rest, unknownSet())
			continue
		}
		for _, k := range v.obj.keys {
			traps := *v.obj.props[k]
			s := j.returns(traps, localSet(v.obj), target, kindSet(jsAnyString), unknownSet())
			j.add(&o.rest, s)
		}
	}
	return j.union(localSet(o), target)
}

// dataModule returns the code of a data: URL.
func dataModule(specifier string) (string, bool) {
	rest, ok := strings.CutPrefix(specifier, "data:")
	if !ok {
		return "", false
	}
	head, body, ok := strings.Cut(rest, ",")
	if !ok {
		return "", false
	}
	text := percentDecode(body)
	if strings.HasSuffix(head, ";base64") {
		if b, ok := codec.Base64(text); ok {
			return b, true
		}
		return "", false
	}
	return text, true
}
