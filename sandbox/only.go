package sandbox

import "strings"

// SymbolEvents are the events of an interpreter that a symbol of its language
// comes to, by the beginning of its name: "subprocess" stands for subprocess.run.
// A symbol that is not here is one that the hooks cannot tell from the rest of
// its capability.
func SymbolEvents(language string) map[string][]string {
	return map[string]map[string][]string{
		"python": {
			"os.system":                      {"os.system"},
			"os.popen":                       {"subprocess.Popen"},
			"subprocess":                     {"subprocess.Popen"},
			"asyncio.create_subprocess_exec": {"subprocess.Popen"},
			"os.fork":                        {"os.fork"},
			"os.execv":                       {"os.exec"},
			"os.execve":                      {"os.exec"},
			"os.execvp":                      {"os.exec"},
			"os.posix_spawn":                 {"os.posix_spawn"},
			"os.posix_spawnp":                {"os.posix_spawn"},
			"eval":                           {"compile", "exec"},
			"exec":                           {"compile", "exec"},
			"compile":                        {"compile"},
			"pickle":                         {"pickle.find_class"},
			"marshal":                        {"marshal.loads", "marshal.load"},
			"os.environ":                     {"sallyport.environ"},
			"os.getenv":                      {"sallyport.environ"},
			"os.putenv":                      {"os.putenv"},
			"os.unsetenv":                    {"os.unsetenv"},
			"sys._getframe":                  {"sys._getframe"},
			"sys.settrace":                   {"sys.settrace"},
			"sys.setprofile":                 {"sys.setprofile"},
			"os.kill":                        {"os.kill"},
			"os.killpg":                      {"os.killpg"},
			"signal.pthread_kill":            {"signal.pthread_kill"},
			"signal.signal":                  {"signal.signal"},
			"signal.alarm":                   {"signal.timer"},
			"signal.setitimer":               {"signal.timer"},
			"signal.raise_signal":            {"signal.raise"},
			"os.abort":                       {"os.abort"},
			"gc.get_objects":                 {"gc.get_objects"},
			"gc.get_referrers":               {"gc.get_referrers"},
			"gc.get_referents":               {"gc.get_referents"},
		},
		"javascript": {
			"child_process.exec":         {"child_process.spawn"},
			"child_process.execFile":     {"child_process.spawn"},
			"child_process.spawn":        {"child_process.spawn"},
			"child_process.execSync":     {"child_process.spawnSync"},
			"child_process.execFileSync": {"child_process.spawnSync"},
			"child_process.spawnSync":    {"child_process.spawnSync"},
			"eval":                       {"eval"},
			"Function":                   {"Function"},
			"vm":                         {"vm"},
			"v8.setFlagsFromString":      {"v8.setFlagsFromString"},
			"process.env":                {"process.env"},
			"process.getuid":             {"process.getuid"},
			"process.geteuid":            {"process.getuid"},
			"process.getgid":             {"process.getuid"},
			"process.getegid":            {"process.getuid"},
			"process.getgroups":          {"process.getuid"},
			"process.binding":            {"process.binding"},
			"process.dlopen":             {"process.dlopen"},
			"crypto.setEngine":           {"crypto.setEngine"},
			"process.kill":               {"process.kill"},
			"process.abort":              {"process.abort"},
			"process.on":                 {"process.on"},
			"process.once":               {"process.on"},
			"WebAssembly":                {"WebAssembly"},
		},
	}[language]
}

// Narrowed returns the capabilities that are granted for single symbols and
// refused otherwise, with the events that these come to. One for which any
// symbol may come to anything is not among them: it is granted as a whole.
func (s Spec) Narrowed() map[Capability][]string {
	narrowed := map[Capability][]string{}
	for c, symbols := range s.Only {
		var all []string
		for _, symbol := range symbols {
			events := eventsOf(s.Language, symbol)
			if len(events) == 0 || !s.Grant.Has(c) {
				all = nil
				break
			}
			all = append(all, events...)
		}
		if len(all) > 0 {
			narrowed[c] = all
		}
	}
	return narrowed
}

func eventsOf(language, symbol string) []string {
	symbol = strings.TrimPrefix(symbol, "builtins.")
	all := SymbolEvents(language)
	for name := symbol; ; {
		if events := all[name]; len(events) > 0 {
			return events
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return nil
		}
		name = name[:i]
	}
}
