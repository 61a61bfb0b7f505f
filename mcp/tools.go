package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"sallyport/analyze"
	"sallyport/answer"
)

// schema is a JSON Schema in the making: key order does not matter, because
// encoding/json sorts it.
type schema map[string]any

// object leaves additionalProperties out: the Gemini SDK fails on its value
// false, and unknown arguments are refused here whatever the schema says.
func object(required []string, properties schema) schema {
	return schema{"type": "object", "properties": properties, "required": required}
}

// property adds a property to an object.
func (s schema) property(name string, value schema) {
	if all, ok := s["properties"].(schema); ok {
		all[name] = value
	}
}

func describe(kind, text string, more ...schema) schema {
	s := schema{"type": kind, "description": text}
	for _, m := range more {
		for k, v := range m {
			s[k] = v
		}
	}
	return s
}

func array(text string, items schema, more ...schema) schema {
	return describe("array", text, append(more, schema{"items": items})...)
}

// raw marshals a schema made of plain values, which cannot fail.
func (s schema) raw() json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return b
}

// runTool describes one of the tools that run code. Its name and its argument
// "code" are those of code-sandbox-mcp; every other argument is optional.
func (s *Server) runTool(name, title string, lang analyze.Language, language, example string) mcp.Tool {
	l := s.opts.Limits
	in := object([]string{"code"}, schema{
		"code":            describe("string", "The "+language+" program. Print what you want to see: "+example+"."),
		"files":           filesArgument(s.opts.Directories),
		"stdin":           describe("string", "Standard input."),
		"args":            array("Command-line arguments.", schema{"type": "string"}, schema{"maxItems": maxArgs}),
		"timeout_seconds": describe("number", fmt.Sprintf("At most %g.", l.Wall.Seconds()), schema{"exclusiveMinimum": 0}),
		"memory_mb":       describe("integer", fmt.Sprintf("At most %d.", l.Memory>>20), schema{"minimum": 1}),
		"environment":     s.environmentArgument(string(lang)),
	})
	if s.sessions {
		in.property("session", s.sessionArgument(lang))
	}
	pictures := ", SVG as text"
	if lang == analyze.Python {
		pictures = ", also those of plt.show()"
	}
	if v := s.opts.Interpreters[lang]; v != "" {
		language = v
	}
	text := fmt.Sprintf("Run a %s program in a sandbox and return what it printed. "+
		"It is judged by policy first: a denial says which rule, where, and what to do instead. "+
		"N"+s.network()[1:]+", no host files, nothing can be installed, nothing is kept between calls"+s.unless()+". "+
		"Files that it writes to its working directory come back, pictures as images"+pictures+". "+
		"At most %s, %d MiB of memory, %d MiB of files out.", language, answer.Duration(l.Wall), l.Memory>>20, l.ArtifactBytes>>20) + s.reachable()
	return newTool(name, text, closedWorld(title, false), in, s.runSchema())
}

// filesArgument is the schema of the files of a call: their contents, or where
// the operator has them.
func filesArgument(directories []string) schema {
	file := object([]string{"path", "content"}, schema{
		"path":     describe("string", "Such as data/in.csv."),
		"content":  describe("string", "Its text, or its bytes in base64."),
		"encoding": schema{"type": "string", "enum": []string{"utf-8", "base64"}, "default": "utf-8"},
	})
	if len(directories) > 0 {
		file["required"] = []string{"path"}
		file.property("from", describe("string", fmt.Sprintf("Instead of content: a file of the operator's, of any size and read-only, such as %s:2026/in.csv. Directories: %s.", directories[0], strings.Join(directories, ", "))))
	}
	return array("Files for the working directory.", file, schema{"maxItems": maxFiles})
}

func checkTool() mcp.Tool {
	in := object([]string{"language", "code"}, schema{
		"language": describe("string", "The language of the program.", schema{"enum": []string{"python", "javascript"}}),
		"code":     describe("string", "The program to judge."),
	})
	out := object([]string{"allowed", "effect", "reason", "findings"}, schema{
		"allowed":     describe("boolean", "Whether the program may run without anybody being asked."),
		"effect":      describe("string", "allow, deny, or ask: a person must approve each run.", schema{"enum": []string{"allow", "deny", "ask"}}),
		"reason":      describe("string", "Why, as a stable code: policy when the rules decided."),
		"detail":      describe("string", "One sentence when the rules did not decide."),
		"decision_id": describe("string", "The decision in the operator's audit log."),
		"findings":    array("What rules have to say, the deciding ones first.", findingSchema()),
	})
	text := "Judge a program by the same policy as the run tools, without running it. " +
		"Use it to find out whether an approach is allowed before writing all of it."
	return newTool("check_code", text, closedWorld("Check code against policy", true), in, out)
}

func newTool(name, text string, hints mcp.ToolAnnotation, in, out schema) mcp.Tool {
	t := mcp.NewToolWithRawSchema(name, text, in.raw())
	t.Title = hints.Title
	t.Annotations = hints
	t.RawOutputSchema = out.raw()
	return t
}

func (s *Server) runSchema() schema {
	text := func(t string) schema { return describe("string", t) }
	out := object([]string{"status", "reason", "stdout", "stderr"}, schema{
		"status": describe("string", "ok: it exited with 0. failed: it exited otherwise or was killed. stopped: it hit a limit or was cancelled. "+
			"denied: policy said no, or it is no program (syntax_error), and nothing ran. refused: the call itself was wrong. error: sallyport failed, not the program.",
			schema{"enum": []string{"ok", "failed", "stopped", "denied", "refused", "error"}}),
		"reason":           text("How it ended (exited, timeout, cpu, memory, pids, output, disk, killed, cancelled, mismatch), or why it did not run."),
		"detail":           text("One sentence more, where there is one."),
		"decision_id":      text("The decision in the operator's audit log."),
		"exit_code":        describe("integer", "The program's own, when it exited."),
		"stdout":           text("What the program printed, cut in the middle when long."),
		"stderr":           text("What it printed to standard error; tracebacks show the program's own lines."),
		"stdout_truncated": describe("boolean", "Whether some of stdout is not shown."),
		"stderr_truncated": describe("boolean", "Whether some of stderr is not shown."),
		"findings":         array("What rules have to say, the deciding ones first.", findingSchema()),
		"artifacts": array("Files that the program left.", object([]string{"path", "uri", "media_type", "bytes"}, schema{
			"path":       text("Relative to the working directory."),
			"uri":        text("To be read with resources/read while this session lasts."),
			"media_type": text("As sniffed from the content."),
			"bytes":      describe("integer", "Size."),
		})),
		"artifacts_dropped": describe("integer", "Files left behind because of their number, size or kind."),
		"incomplete":        describe("boolean", "Something that the program printed or left was cut or left behind, or may be half of what it was to be."),
		"violations":        array("What the program tried at run time although policy denies it.", text("capability: detail")),
		"notes":             array("What to know about this run, such as a limit that was cut.", schema{"type": "string"}),
		"duration_ms":       describe("integer", "Time in the sandbox."),
	})
	if s.sessions {
		out.property("session", describe("object", "The session that the code ran in.", schema{"properties": schema{
			"name":  text("To be named in later calls."),
			"cell":  describe("integer", "Number of the call in the session, from 1."),
			"ended": text("Why the session is over. Its state is gone then."),
		}}))
	}
	return out
}

func findingSchema() schema {
	text := func(t string) schema { return describe("string", t) }
	return object([]string{"rule", "action", "message"}, schema{
		"rule":     text("The rule's id."),
		"action":   describe("string", "What the rule asks for.", schema{"enum": []string{"deny", "ask", "warn", "log"}}),
		"severity": text("low, medium, high or critical."),
		"message":  text("What was found and why it matters."),
		"line":     describe("integer", "Line, from 1."),
		"column":   describe("integer", "Column, from 1."),
		"symbol":   text("The name that was found."),
		"instead":  text("What to do instead."),
	})
}
