package proc

import (
	"os"
	"strconv"
	"testing"
)

func TestOf(t *testing.T) {
	s, err := Of("self")
	if err != nil || s.Parent != os.Getppid() || s.Threads < 1 || s.Memory <= 0 || s.Start == "" {
		t.Errorf("Of(self) = %+v, %v", s, err)
	}
	if other, err := Of(strconv.Itoa(os.Getpid())); err != nil || other.Start != s.Start {
		t.Errorf("by its number it is %+v, %v", other, err)
	}
}

// A program that names itself so that its name looks like the fields behind it
// changes none of them.
func TestNames(t *testing.T) {
	fields := " S 7 1 1 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 3 0 4711 1000000 25 18446744073709551615\n"
	want, err := parse("1", []byte("1 (x)"+fields))
	if err != nil || want.State != "S" || want.Parent != 7 || want.CPU.Seconds() != 2 || want.Threads != 3 || want.Start != "4711" || want.Memory != 25*int64(os.Getpagesize()) {
		t.Fatalf("%+v, %v", want, err)
	}
	for _, name := range []string{"", ") R 1", "a b", "((", "))", ")\n1 (x) Z 1 1 1"} {
		if got, err := parse("1", []byte("1 ("+name+")"+fields)); err != nil || got != want {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	for _, short := range []string{"", "1 (x", "1 (x) S 1"} {
		if got, err := parse("1", []byte(short)); err == nil {
			t.Errorf("%q: %+v", short, got)
		}
	}
}
