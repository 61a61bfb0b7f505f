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
	in := object([]string{"code"}, runProperties(
		describe("string", "The "+language+" program. Print what you want to see: "+example+"."),
		fmt.Sprintf("At most %g.", l.Wall.Seconds()), fmt.Sprintf("At most %d.", l.Memory>>20),
		filesArgument(s.opts.Directories), s.environmentArgument(string(lang))))
	if lang == analyze.JavaScript {
		in.property("typescript", describe("boolean", "The program is TypeScript: its types are removed, not checked."))
	}
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
	return newTool(name, text, closedWorld(title, false), in)
}

// runProperties are the arguments of whatever runs code: what is said of two of them is
// what the operator allows.
func runProperties(code schema, timeout, memory string, files, environment schema) schema {
	return schema{
		"code":            code,
		"files":           files,
		"stdin":           describe("string", "Standard input."),
		"args":            array("Command-line arguments.", schema{"type": "string"}, schema{"maxItems": maxArgs}),
		"timeout_seconds": describe("number", timeout, schema{"exclusiveMinimum": 0}),
		"memory_mb":       describe("integer", memory, schema{"minimum": 1}),
		"environment":     environment,
	}
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

// checkProperties are the arguments of whatever judges code.
func checkProperties() schema {
	return schema{
		"language":    describe("string", "The language of the program.", schema{"enum": []string{"python", "javascript", "typescript"}}),
		"code":        describe("string", "The program to judge."),
		"environment": describe("string", "Where it would run."),
	}
}

func checkTool() mcp.Tool {
	in := object([]string{"language", "code"}, checkProperties())
	text := "Judge a program by the same policy as the run tools, without running it. " +
		"Use it to find out whether an approach is allowed before writing all of it."
	return newTool("check_code", text, closedWorld("Check code against policy", true), in)
}

func newTool(name, text string, hints mcp.ToolAnnotation, in schema) mcp.Tool {
	t := mcp.NewToolWithRawSchema(name, text, in.raw())
	t.Title = hints.Title
	t.Annotations = hints
	return t
}
