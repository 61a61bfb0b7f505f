package javascript

import (
	"cmp"
	"slices"

	"sallyport/analyze"
)

// A partial round leaves out the units that would learn nothing: those that read nothing that has changed
// since they were walked last. What is noted of the whole program makes all of them stale. The last round
// walks all units, so that a reader which is not noted here costs a round and hides nothing.

// unit is what a partial round walks or leaves out as a whole: a statement of the program, or a
// function.
type unit struct {
	outer  *unit // the one around it
	listed bool  // it was walked before
	number int   // in which order it came up
	began  int   // the changes of all units by the time at which it was walked last
	walk   int   // how often it was walked
	stale  bool  // something that it reads has changed since
	waits  bool  // it has met something that nothing was seen to yield
	this   value // what it was walked with
	super  value
}

// reader is a walk of a unit: another walk of it reads anew what it reads.
type reader struct {
	unit *unit
	walk int
}

// readBy are the units that read something: all, when they are too many to be told apart. The units that give
// it what it is are noted beside them.
type readBy struct {
	last  reader
	units []reader
	all   bool

	giver  *unit // the first
	givers *readBy
}

// kept is what is noted of the whole program under one name.
type kept struct {
	values value
	readBy readBy
}

// known is what is kept under a name by now.
func (j *javascript) known(p *kept) value {
	j.reads(&p.readBy)
	return p.values
}

// learnedOf adds to what is kept under a name.
func (j *javascript) learnedOf(p *kept, s value) { j.grow(&p.readBy, &p.values, s) }

// maxReaders bounds the readers that are told apart.
const maxReaders = 4096

// reads notes that the unit which is being walked depends on something.
func (j *javascript) reads(of *readBy) {
	if j.unit == nil || of.all {
		return
	}
	r := reader{j.unit, j.unit.walk}
	if of.last == r {
		return
	}
	of.last = r
	n := len(of.units)
	switch {
	case n < 8:
		for k := range of.units {
			if of.units[k].unit == j.unit {
				of.units[k] = r
				return
			}
		}
	case n == cap(of.units):
		if of.shorten(); of.all {
			return
		}
	}
	of.units = append(of.units, r)
}

// givesTo notes that the unit which is being walked gives something what it is.
func (j *javascript) givesTo(of *readBy) {
	switch {
	case of == nil || of.giver == j.unit:
	case of.giver == nil:
		of.giver = j.unit
	default:
		if of.givers == nil {
			of.givers = new(readBy)
		}
		j.reads(of.givers)
	}
}

// lost says that something has less of what it was given than it had: it may be given that again, by whoever did before.
func (j *javascript) lost(of *readBy) {
	if of == nil {
		return // of which everybody learns
	}
	of.giver.outdated()
	if of.givers != nil {
		j.outdates(of.givers)
	}
}

// shorten takes out the readers that are there twice, and makes room where few are.
func (of *readBy) shorten() {
	of.units = slices.DeleteFunc(of.units, func(r reader) bool { return r.walk != r.unit.walk })
	slices.SortFunc(of.units, func(a, b reader) int { return cmp.Compare(a.unit.number, b.unit.number) })
	of.units = slices.Compact(of.units)
	if n := len(of.units); n > maxReaders {
		of.last, of.units, of.all = reader{}, nil, true
	} else if n > cap(of.units)*3/4 {
		of.units = slices.Grow(of.units, n)
	}
}

// learned says that there is more of something now; without readers, everybody may depend on it.
func (j *javascript) learned(of *readBy) {
	j.changed = true
	j.outdates(of)
}

// outdates makes the readers of something stale.
func (j *javascript) outdates(of *readBy) {
	if of == nil || of.all {
		j.changes++
		if of != nil {
			of.all = false
		}
		return
	}
	for _, r := range of.units {
		if r.walk == r.unit.walk {
			r.unit.outdated()
		}
	}
	of.last, of.units = reader{}, of.units[:0]
}

// outdated makes a unit stale, and those around it, in which it is walked.
func (u *unit) outdated() {
	for ; u != nil && !u.stale; u = u.outer {
		u.stale = true
	}
}

// enter begins to walk a unit; it is false where that can be left out.
func (j *javascript) enter(u *unit) bool {
	if j.partial && u.listed && !u.stale && u.began == j.changes {
		return false
	}
	if !u.listed {
		u.listed = true
		j.units = append(j.units, u)
		u.number = len(j.units)
	}
	u.walk++
	u.outer, u.began, u.stale, u.waits = j.unit, j.changes, false, false
	j.unit = u
	return true
}

// leave ends the walk of a unit.
func (j *javascript) leave() { j.unit = j.unit.outer }

// topUnits walks the statements of the program.
func (j *javascript) topUnits() {
	t, n := j.tree, 0
	for c := t.FirstNamed(0); c != analyze.NoNode; c = t.NextNamed(c) {
		if n == len(j.top) {
			j.top = append(j.top, new(unit))
		}
		if j.enter(j.top[n]) {
			j.statement(c)
			j.leave()
		}
		n++
	}
}

// mutates says that an object is written to after it was made.
func (j *javascript) mutates(o *object) {
	if !o.mutable {
		o.mutable = true
		j.outdates(&o.readBy)
	}
}

// shrinks says that an array may get shorter.
func (j *javascript) shrinks(o *object) {
	if !o.shrinks {
		o.shrinks = true
		j.outdates(&o.readBy)
	}
}
