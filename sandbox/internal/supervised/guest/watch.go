package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/proc"
)

// watchFromNow starts the watch over what the kernel does not enforce for
// the run as a whole: CPU seconds of all its processes together, and memory
// and processes where the container has no cgroup of its own.
func (s *supervisor) watchFromNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.watching.IsZero() {
		return
	}
	s.watching = time.Now()
	before := spent().cpu + living().cpu // a start before the job is not the program's
	go s.watch(s.watching, before)
}

func (s *supervisor) watch(since time.Time, before time.Duration) {
	w := s.start.Watch
	for range time.Tick(tick) {
		s.mu.Lock()
		gone := s.gone
		s.mu.Unlock()
		if gone {
			return
		}
		now := living()
		switch {
		case oomKills() > 0: // whichever of its processes the kernel picked
			s.finish("memory")
		case w.CPUMillis > 0 && now.cpu+spent().cpu-before > time.Duration(w.CPUMillis)*time.Millisecond:
			s.finish("cpu")
		case w.Pids > 0 && now.tasks > w.Pids:
			s.finish("pids")
		case w.Memory > 0 && now.memory > w.Memory:
			s.finish("memory")
		case s.full():
			s.finish("disk")
		case w.WallMillis > 0 && time.Since(since) > time.Duration(w.WallMillis)*time.Millisecond:
			s.finish("timeout")
		}
	}
}

// full reports whether the writable mounts hold more than they may: files, or
// bytes together.
func (s *supervisor) full() bool {
	w := s.start.Watch
	var inodes, bytes int64
	for _, dir := range []string{s.start.Dir, "/tmp", "/dev/shm"} {
		var st unix.Statfs_t
		if (w.Inodes > 0 || w.Disk > 0) && unix.Statfs(dir, &st) == nil {
			inodes = max(inodes, int64(st.Files-st.Ffree))
			bytes += int64(st.Blocks-st.Bfree) * st.Bsize
		}
	}
	return w.Inodes > 0 && inodes > w.Inodes || w.Disk > 0 && bytes > w.Disk
}

// usage is what processes use.
type usage struct {
	cpu    time.Duration
	memory int64 // resident now
	tasks  int64
	peak   int64
}

// spent is what the processes that are gone used.
func spent() usage {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &ru); err != nil {
		return usage{}
	}
	return usage{
		cpu:  time.Duration(ru.Utime.Nano() + ru.Stime.Nano()),
		peak: ru.Maxrss << 10,
	}
}

// living sums up every process but this one.
func living() (sum usage) {
	names, err := readNames("/proc")
	if err != nil {
		return sum
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err != nil || pid == 1 {
			continue
		}
		one, err := proc.Of(name)
		if err != nil {
			continue // died meanwhile
		}
		sum.cpu += one.CPU
		sum.memory += one.Memory
		sum.tasks += one.Threads
	}
	return sum
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

func oomKills() int64 {
	return cgroupCount("memory", "memory.oom_control", "memory.events", "oom_kill")
}

// cgroupCount reads a counter of the container's own cgroup, which an engine
// shows at the usual place, version 1 or 2; 0 where there is none.
func cgroupCount(controller, v1, v2, key string) int64 {
	for _, path := range []string{
		fmt.Sprintf("/sys/fs/cgroup/%s/%s", controller, v1),
		"/sys/fs/cgroup/" + v2,
	} {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == key {
				n, _ := strconv.ParseInt(value, 10, 64)
				return n
			}
		}
	}
	return 0
}
