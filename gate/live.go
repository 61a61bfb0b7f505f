package gate

import (
	"sallyport/analyze"
	"sallyport/sandbox"
)

// filter takes a stream in chunks and gives out what may be told of it so far.
type filter interface {
	push(chunk []byte) []byte
	end() []byte // what waited
}

// live wraps the output function of a run so that it is told what the Result of the
// run is going to say. The second function passes on what still waits when the
// program has ended.
func live(emit func(sandbox.Stream, []byte), secrets redactor, language analyze.Language) (wrapped func(sandbox.Stream, []byte), flush func()) {
	flushPlaces := func() {}
	if language == analyze.Python {
		emit, flushPlaces = filtered(emit, func() filter { return &placeless{} })
	}
	emit, flushSecrets := secrets.live(emit)
	return emit, func() { flushSecrets(); flushPlaces() }
}

// filtered has each stream pass a filter of its own. A backend calls for each
// stream from one goroutine at a time.
func filtered(emit func(sandbox.Stream, []byte), begin func() filter) (wrapped func(sandbox.Stream, []byte), flush func()) {
	if emit == nil {
		return nil, func() {}
	}
	out, errs := begin(), begin()
	of := func(s sandbox.Stream) filter {
		if s == sandbox.Stderr {
			return errs
		}
		return out
	}
	wrapped = func(s sandbox.Stream, chunk []byte) {
		if b := of(s).push(chunk); len(b) > 0 {
			emit(s, b)
		}
	}
	return wrapped, func() {
		for _, s := range []sandbox.Stream{sandbox.Stdout, sandbox.Stderr} {
			if b := of(s).end(); len(b) > 0 {
				emit(s, b)
			}
		}
	}
}
