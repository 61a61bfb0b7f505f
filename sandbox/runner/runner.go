// Package runner is what every backend puts into a sandbox beside the
// interpreter, and how they talk to it: a script that the interpreter loads
// before the program. It says "ready", waits for one job, prepares the work
// directory, has the interpreter's own parser look at the program, gives its
// verdict, and gets out of the way.
package runner

import (
	"sallyport/sandbox"
	"sallyport/sandbox/gvisor"
)

// Where things are inside, and the descriptors of the runner.
const (
	WorkDir = gvisor.WorkDir   // the program's; writable
	Dir     = gvisor.RunnerDir // the runner's; read-only

	JobFD    = gvisor.JobFD
	ReportFD = gvisor.ReportFD
)

// Files returns the files of Dir by their names.
func Files() map[string]string { return gvisor.RunnerFiles() }

// MainName is the file name of the program inside WorkDir.
func MainName(language, goal string) string { return gvisor.MainName(language, goal) }

// Job is what the runner reads from JobFD.
func Job(s sandbox.Spec) []byte { return gvisor.EncodeJob(s) }

// Verdict reads the runner's answer to a job.
func Verdict(answer string) (mismatch bool, unknown []string, err error) {
	return gvisor.Verdict(answer)
}

// CheckFiles refuses, with an error wrapping sandbox.ErrRefused, input files
// that are not plainly inside WorkDir.
func CheckFiles(s sandbox.Spec) error { return gvisor.CheckFiles(s) }

// Argv is the command of an interpreter that waits for a job.
func Argv(executable string, s sandbox.Spec) []string { return gvisor.Argv(executable, s) }

// Env is the whole environment inside.
func Env(s sandbox.Spec) []string { return gvisor.Env(s) }

// Preload is the variable for Env that has a waiting interpreter import what
// most programs do, and more.
func Preload(language string, more []string) string { return gvisor.Preload(language, more) }
