// Package proc reads what the kernel says of processes.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// GoneLimit is how long processes may take to be gone once they are killed.
const GoneLimit = 10 * time.Second

// tick is the unit of times under /proc: USER_HZ, 100 on every Linux that Go
// knows.
const tick = 10 * time.Millisecond

// Stat is what /proc/PID/stat says of a process.
type Stat struct {
	State   string
	Parent  int
	CPU     time.Duration // without its children
	Threads int64
	Start   string // in ticks since boot: with it a pid is never another process's
	Memory  int64  // bytes that are resident
}

// Of reads what is known of a process, "self" or a pid.
func Of(pid string) (Stat, error) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return Stat{}, err
	}
	return parse(pid, data)
}

// The name of a process, in parentheses, is the program's choice: the fields are
// counted from its end.
func parse(pid string, data []byte) (Stat, error) {
	const state, parent, utime, stime, threads, start, resident = 0, 1, 11, 12, 17, 19, 21
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) <= resident {
		return Stat{}, fmt.Errorf("process %s: unknown format", pid)
	}
	n := func(i int) int64 { v, _ := strconv.ParseInt(f[i], 10, 64); return v }
	return Stat{
		State: f[state], Parent: int(n(parent)), CPU: time.Duration(n(utime)+n(stime)) * tick,
		Threads: n(threads), Start: f[start], Memory: n(resident) * int64(os.Getpagesize()),
	}, nil
}
