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
	stale  bool  // something that it reads has changed since
	waits  bool  // it has met something that nothing was seen to yield
	this   value // what it was walked with
	super  value
}

// readBy are the units that read something: all, when they are too many to be told apart.
type readBy struct {
	last  *unit
	units []*unit
	all   bool
}

// kept is what is noted of the whole program under one name.
type kept struct {
	values value
	readBy readBy
}

// maxReaders bounds the readers that are told apart.
const maxReaders = 4096

// reads notes that the unit which is being walked depends on something.
func (j *javascript) reads(of *readBy) {
	if of.last == j.unit || of.all {
		return
	}
	of.last = j.unit
	n := len(of.units)
	switch {
	case n < 8:
		if slices.Contains(of.units, j.unit) {
			return
		}
	case n == cap(of.units):
		if of.shorten(); of.all {
			return
		}
	}
	of.units = append(of.units, j.unit)
}

// shorten takes out the readers that are there twice, and makes room where few are.
func (of *readBy) shorten() {
	slices.SortFunc(of.units, func(a, b *unit) int { return cmp.Compare(a.number, b.number) })
	of.units = slices.Compact(of.units)
	if n := len(of.units); n > maxReaders {
		*of = readBy{all: true}
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
			*of = readBy{}
		}
		return
	}
	for _, u := range of.units {
		u.outdated()
	}
	of.last, of.units = nil, of.units[:0]
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
