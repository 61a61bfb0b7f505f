package gvisor

import "sallyport/sandbox"

// What package runner gives to the other backends: they put the same script
// beside the interpreter and talk to it in the same way.

// RunnerFiles returns the runner's files by name.
func RunnerFiles() map[string]string {
	return map[string]string{"sitecustomize.py": pythonRunner, "sallyport_figures.py": pythonFigures, "hook.cjs": nodeRunner}
}

// Where things are inside, and on which descriptors.
const (
	WorkDir   = workDir
	RunnerDir = runnerDir
	JobFD     = jobFD
	ReportFD  = reportFD
)

// MainName is the file name of the program.
func MainName(language, goal string) string { return mainName(language, goal) }

// EncodeJob is the job of a spec.
func EncodeJob(s sandbox.Spec) []byte { return encodeJob(s) }

// Verdict reads the runner's answer to a job.
func Verdict(answer string) (mismatch bool, unknown []string, err error) { return verdict(answer) }

// CheckFiles refuses input files that are not plainly inside the work directory.
func CheckFiles(s sandbox.Spec) error { return checkFiles(s) }

// Argv is the command of an interpreter that waits for a job.
func Argv(executable string, s sandbox.Spec) []string {
	return argv(interpreter{Executable: executable, Language: s.Language}, s, s.Limits.WithDefaults())
}

// Env is the whole environment inside.
func Env(s sandbox.Spec) []string { return environment(s) }

// Preload is the variable that names what to import before a program is there.
func Preload(language string, more []string) string { return preload(language, more) }
