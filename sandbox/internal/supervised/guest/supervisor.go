package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sallyport/sandbox/internal/frame"
	"sallyport/sandbox/internal/proc"
	"sallyport/sandbox/internal/supervised/wire"
)

const (
	maxReport = 1 << 20 // of the runner's answer
	chunk     = 32 << 10

	// overrun is how much a program may write in vain, beyond its limit,
	// before it is ended: one that is only too chatty finishes.
	overrun = 64 << 20

	tick = 20 * time.Millisecond
)

// supervisor runs one interpreter. Its methods are called by serve's
// goroutine; what others touch is under mu.
type supervisor struct {
	out     io.Writer
	job     *os.File // the runner's, write end
	input   *os.File // the program's stdin, write end
	stop    <-chan os.Signal
	ended   chan struct{}
	sendErr error

	start    wire.Start
	rules    wire.ArtifactRules // written before the job is handed over
	pid      int
	listener bool
	pumps    sync.WaitGroup
	way      *wayOut // nil where the program reaches no hosts

	mu         sync.Mutex
	limit      string // why the run was ended by us; "" for "not for a limit"
	finishing  bool
	gone       bool // every process but this one is dead
	watching   time.Time
	violations []wire.Violation
	told       []byte   // by the hooks, over ArtifactFD; written by its pump alone
	written    [3]int64 // by stream number

	sending sync.Mutex // serialises frames
}

// begin starts the interpreter, up to where its runner waits for a job.
func (s *supervisor) begin(start wire.Start) error {
	s.start = start
	if len(start.Argv) == 0 {
		return fmt.Errorf("start: no interpreter")
	}
	arg, err := json.Marshal(staged{Argv: start.Argv, Env: start.Env, Dir: start.Dir, Guard: start.Guard, CPUMillis: start.Watch.CPUMillis})
	if err != nil {
		return err
	}
	if start.Identify {
		if err := s.identify(start); err != nil {
			return err
		}
	}
	if e := start.Egress; e != nil { // before the program, so that it finds nothing free
		if s.way, err = s.openWay(*e); err != nil {
			return fmt.Errorf("a way out: %v", err)
		}
	}
	warmThreads(start.Watch.Reserve)
	p, err := newPipes()
	if err != nil {
		return err
	}
	process, err := os.StartProcess(os.Args[0], []string{os.Args[0], "exec", string(arg)}, &os.ProcAttr{Env: stageEnvironment, Files: p.theirs(),
		// Not in our process group: a signal to the whole group stays there.
		Sys: &syscall.SysProcAttr{Setsid: true}})
	p.closeTheirs()
	if err != nil {
		return fmt.Errorf("starting the interpreter: %v", err)
	}
	s.pid, s.job, s.input = process.Pid, p.jobW, p.inW
	if fd := receiveListener(int(p.socket.Fd())); fd >= 0 {
		s.listener = true
		go s.listen(fd)
	}
	p.socket.Close()
	s.pumps.Add(4)
	go s.pump(p.outR, wire.Stdout, 1)
	go s.pump(p.errR, wire.Stderr, 2)
	go s.report(p.reportR)
	go s.hear(p.toldR)
	go s.reap()
	return nil
}

// warmThreads makes the runtime start threads until the supervisor has total:
// later the program may have used up every one there is. The pids cgroup counts
// all of these, so that the program gets its own number exactly; theirs are
// below the lowest process number that it may aim at. All of them wait for work
// at the end: while one does not, the runtime may start another, with a number
// above the program's.
func warmThreads(total int) {
	var held, hold, idle sync.WaitGroup
	hold.Add(1)
	for range total { // at the most: each takes a thread, an idle one or a new one
		if own, err := proc.Of("self"); err != nil || own.Threads >= int64(total) {
			break
		}
		held.Add(1)
		idle.Go(func() {
			runtime.LockOSThread()
			held.Done()
			hold.Wait()
			runtime.UnlockOSThread()
		})
		held.Wait()
	}
	hold.Done()
	idle.Wait()
	for end := time.Now().Add(restLimit); !resting() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// restLimit is how long threads may take to come to rest on a machine that is busy.
const restLimit = 10 * time.Second

// resting tells whether all threads wait but the one that asks.
func resting() bool {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	busy := 0
	for _, thread := range threads {
		if stat, err := proc.Of("self/task/" + thread.Name()); err != nil || stat.State == "R" {
			busy++
		}
	}
	return busy <= 1
}

// pump passes a stream on, up to the limit; past it, it reads on so that the
// program is not held up, and past all reason it ends the run.
func (s *supervisor) pump(r *os.File, tag byte, stream int) {
	defer s.pumps.Done()
	defer r.Close()
	buf := make([]byte, chunk)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			s.mu.Lock()
			before := s.written[stream]
			s.written[stream] += int64(n)
			total := s.written[stream]
			s.mu.Unlock()
			if room := s.start.OutputBytes - before; room > 0 {
				s.frame(tag, buf[:min(int64(n), room)])
			}
			if total > s.start.OutputBytes+overrun {
				s.finish("output")
			}
		}
		if err != nil {
			return
		}
	}
}

// report passes the runner's answers on. The descriptor is the runner's until
// its last answer, which comes before the program; after that nobody holds it.
func (s *supervisor) report(r *os.File) {
	defer s.pumps.Done()
	defer r.Close()
	for {
		_, n, err := frame.Header(r)
		if err != nil {
			return
		}
		body, err := frame.Payload(r, n, maxReport)
		if err != nil {
			return
		}
		s.frame(wire.Report, body)
	}
}

// hear keeps what the hooks of the interpreter tell of the program, and reads all the
// rest so that nobody is held up.
func (s *supervisor) hear(r *os.File) {
	defer s.pumps.Done()
	defer r.Close()
	heard := &frame.Reports{Reader: r}
	_, _ = io.Copy(io.Discard, heard)
	s.told = heard.Told
}

// feed writes the program's standard input.
func (s *supervisor) feed(b []byte) {
	defer s.input.Close()
	s.input.Write(b) // a program that does not read its input is no error
}

// finish ends the run once; the first caller's reason stands.
func (s *supervisor) finish(limit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finishing || s.gone || s.pid == 0 {
		return
	}
	s.finishing, s.limit = true, limit
	killAll()
}

// endWhenStopped ends the run when who runs the sandbox wants it to end.
func (s *supervisor) endWhenStopped() {
	<-s.stop
	s.finish(wire.Stopped)
}

// killAll ends every process but this one. As pid 1 of the namespace there is
// nobody it could hit by mistake, and no fork can slip through between.
func killAll() { _ = unix.Kill(-1, unix.SIGKILL) }

// reap waits for the interpreter, ends what it left behind, and closes the
// run. A pid 1 also inherits orphans: all of them are waited for here.
func (s *supervisor) reap() {
	var main unix.WaitStatus
	for done := false; ; {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // ECHILD: nobody is left
			s.close(main)
			return
		case pid == s.pid && !done:
			done, main = true, ws
			killAll()
		}
	}
}

// close sends what the run left and how it ended.
func (s *supervisor) close(ws unix.WaitStatus) {
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.job.Close()
	s.pumps.Wait()
	s.way.close()
	if s.limit == "" && s.full() { // and it ended before anybody looked
		s.limit = "disk"
	}
	final := s.final(ws)
	final.Dropped = s.sendArtifacts()
	s.sendErr = s.send(final)
	close(s.ended)
}

func (s *supervisor) final(ws unix.WaitStatus) wire.Final {
	used := spent()
	s.mu.Lock()
	defer s.mu.Unlock()
	f := wire.Final{
		Limit:       s.limit,
		OOMKills:    oomKills(),
		ForksDenied: cgroupCount("pids", "pids.events", "pids.events", "max"),
		CPUMicros:   used.cpu.Microseconds(),
		PeakMemory:  used.peak,
		Violations:  s.violations,
		Told:        s.told,
		Listener:    s.listener,
		Startable:   len(s.start.Guard.NotStartable) > 0 && !landlocks(),
		StdoutBytes: s.written[1],
		StderrBytes: s.written[2],
	}
	if ws.Signaled() {
		f.Signal = int(ws.Signal())
	} else {
		f.Exit = ws.ExitStatus()
	}
	return f
}

func (s *supervisor) frame(tag byte, payload []byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return frame.Write(s.out, tag, payload)
}

func (s *supervisor) send(f wire.Final) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return s.frame(wire.End, body)
}

// pipes are the descriptors between supervisor and interpreter.
type pipes struct {
	inR, inW, outR, outW, errR, errW, jobR, jobW, reportR, reportW, toldR, toldW *os.File

	socket, theirSocket *os.File
}

func newPipes() (p pipes, err error) {
	for _, end := range []struct{ r, w **os.File }{
		{&p.inR, &p.inW}, {&p.outR, &p.outW}, {&p.errR, &p.errW}, {&p.jobR, &p.jobW}, {&p.reportR, &p.reportW},
	} {
		if *end.r, *end.w, err = os.Pipe(); err != nil {
			return p, err
		}
	}
	if p.socket, p.theirSocket, err = socketPair("listener", 0); err != nil {
		return p, err
	}
	// A pipe could be opened again, by its name in /proc, and read from.
	p.toldR, p.toldW, err = socketPair("told", unix.SOCK_NONBLOCK)
	return p, err
}

// socketPair makes one of which flags hold for our end.
func socketPair(name string, flags int) (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|flags, 0)
	if err != nil {
		return nil, nil, err
	}
	err = unix.SetNonblock(fds[1], false)
	return os.NewFile(uintptr(fds[0]), name), os.NewFile(uintptr(fds[1]), name), err
}

func (p pipes) theirs() []*os.File {
	return []*os.File{p.inR, p.outW, p.errW, stageJob: p.jobR, stageReport: p.reportW, stageTold: p.toldW, stageSocket: p.theirSocket}
}

func (p pipes) closeTheirs() {
	for _, f := range p.theirs() {
		f.Close()
	}
}
