package analyze

import "strings"

// FactsVersion names the shape of Facts. It changes when a policy written
// against an older shape could misread a newer one.
const FactsVersion = "facts/v1"

// Facts is what policy gets to know about a source: plain data in a stable
// order, the same for the same bytes. It is shaped for OPA's rule index: flat,
// sorted sets to test membership in, and objects keyed by name.
//
// Facts over-approximate. A name appears when the program could reach it on
// some path; nothing is left out because a branch looks dead.
type Facts struct {
	Version  string   `json:"version"`
	Language Language `json:"language"`
	Goal     Goal     `json:"goal"`
	SHA256   string   `json:"sha256"` // of the canonical bytes, lower-case hex
	Bytes    int      `json:"bytes"`
	Lines    int      `json:"lines"`

	// Complete is true when every node was understood and no cap was hit. A
	// policy must deny when it is false; Syntax then says why.
	Complete bool `json:"complete"`

	// Syntax holds what the parser could not read and the caps that were hit.
	Syntax []Problem `json:"syntax"`

	// Hygiene holds what is legal but odd: homoglyphs, very long lines,
	// suppression comments, opaque blobs. Evidence, not a verdict.
	Hygiene []Problem `json:"hygiene"`

	// Names holds every qualified outside symbol the program mentions, however
	// it is spelled: "os.system", "builtins.exec", "node:child_process.exec",
	// "globalThis.fetch". A mention counts, not only a call.
	Names []string `json:"names"`

	// Uses says how and where each of Names is mentioned; its keys are Names.
	Uses map[string][]Use `json:"uses"`

	// Imports holds the modules that are loaded, by their canonical names:
	// "os.path" for Python, "node:fs" or "lodash/fp" for JavaScript. Relative
	// imports keep their dots.
	Imports     []string          `json:"imports"`
	ImportSpans map[string][]Span `json:"import_spans"`

	// EarlyImports holds those of Imports that statements load before the program
	// does anything else, and that nothing loads later: no file that the program
	// writes can be one of them.
	EarlyImports []string `json:"early_imports"`

	// Attrs holds every attribute, property and destructured key that is
	// mentioned on anything, resolved or not.
	Attrs []string `json:"attrs"`

	// AttrSpans says where each of Attrs is mentioned first.
	AttrSpans map[string]Span `json:"attr_spans"`

	// Strings holds the string constants after folding and decoding, capped in
	// count and length.
	Strings []string `json:"strings"`

	// URLs holds the addresses, and the hosts, that calls are given, with where:
	// constants, and what is known of a text that begins with one. Hosts holds
	// the hosts among them.
	URLs  []URL    `json:"urls"`
	Hosts []string `json:"hosts"`

	// Dynamic holds, by kind (see the Dynamic* constants), the places that
	// could not be resolved and matter.
	Dynamic map[string][]Span `json:"dynamic"`

	// Identifiers holds every identifier of the program, and of texts that it runs
	// as code, after the language's own normalisation. The interpreter's own parser
	// inside the sandbox may not know one that is missing here.
	Identifiers []string `json:"identifiers"`
}

// Use is one mention of an outside symbol.
type Use struct {
	How       How       `json:"how"`
	Certainty Certainty `json:"certainty"`

	// Args holds, for a call, the arguments in order. Keyword arguments carry
	// their names. It is empty for other mentions.
	Args []Arg `json:"args"`

	// Path is, for a method of an object that stands for a file, which file that is,
	// when it is known: a path, in which * stands for names that are not known, and
	// which starts with <temporary> below a directory that the program made with a
	// new name. Arg.Path is the same for an argument that is such an object or text, and
	// <opened> or <workbook> for what is open already.
	Path string `json:"path,omitempty"`

	// Splat is true when the call spreads arguments that Args cannot show.
	Splat bool `json:"splat"`

	// Named is for URLs alone.
	Named []Named `json:"-"`

	Span  Span   `json:"span"`
	Scope string `json:"scope"` // dotted path of enclosing functions and classes; "" at the top
}

// Arg is one argument of a call. Value is nil when it is not a constant.
type Arg struct {
	Name  string `json:"name,omitempty"` // keyword, or ""
	Value any    `json:"value"`          // string, float64, bool; nil when dynamic or null
	Known bool   `json:"known"`          // Value is the constant it will have
	Path  string `json:"path,omitempty"` // which file it names, when it is no constant text; see Use

	// MayBe is, of a text that is not wholly known, where the file lies that it may
	// name: by how it begins, or as one of several. It proves nothing of where the
	// file does not lie.
	MayBe string `json:"may_be,omitempty"`
}

// Span is a place in the source. Lines and columns count from 1; columns count
// Unicode code points; the end is exclusive.
type Span struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Problem is a place with a stable reason code and a sentence for people.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Span    Span   `json:"span"`
}

// How says in what way a symbol is mentioned.
type How string

const (
	HowCall      How = "call"      // os.system(c), new Function(c), os.system`c`
	HowReference How = "reference" // f = os.system, map(os.system, xs)
	HowDecorator How = "decorator" // @os.system
	HowImport    How = "import"    // from os import system
	HowAssign    How = "assign"    // os.system = f, del os.system
)

// Certainty says how sure the analysis is that the symbol is the one meant.
type Certainty string

const (
	Exact    Certainty = "exact"
	Possible Certainty = "possible" // one of several bindings, or a folded guess
)

// Kinds of Dynamic. Each names something that analysis cannot see through and
// that a strict policy therefore denies.
const (
	DynamicCode      = "code"      // exec, eval, compile, Function, setTimeout(string), vm: of a non-constant
	DynamicImport    = "import"    // import of a non-constant name
	DynamicMember    = "member"    // unknown member of a module, builtin or global object
	DynamicAttribute = "attribute" // computed attribute of an object that is not known to be any of those
	DynamicStar      = "star"      // star import of a module whose names are not known
	DynamicFrame     = "frame"     // frames, tracebacks, stack inspection
	DynamicSubclass  = "subclass"  // __subclasses__, __bases__ that are put there, and constructor walking
	DynamicFormat    = "format"    // format fields that walk attributes
	DynamicBytecode  = "bytecode"  // code objects, marshal, function surgery
	DynamicPatch     = "patch"     // writes to modules, builtins, globals, prototypes
	DynamicNamespace = "namespace" // globals(), vars(), __dict__, with statement, sloppy this
	DynamicComputed  = "computed"  // call of a member two unknown keys deep: x[a][b](…) may be Function(…)
	DynamicTemplate  = "template"  // format text that is not known, and what it formats is more than constants
	DynamicClass     = "class"     // call of what may be the class of an object that is not known: type(x)(…), x.f(…) where f was put there; C.__subclasses__() of a class C of the program; what a class comes from (C.__mro__)
	DynamicMoved     = "moved"     // what leads to all else (a module, getattr, the class of an object) used otherwise than on the spot
	DynamicAwait     = "await"     // sloppy-script await or yield used as identifiers
)

// PathBeginning is the path of a text of which only the beginning is known: the
// directories that are whole, and * for the rest. It is "" where the beginning
// says nothing about where the file lies.
func PathBeginning(text string) string {
	at := strings.LastIndexByte(text, '/')
	if at < 1 || !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") && !strings.HasPrefix(text, "../") && !strings.HasPrefix(text, "./../") {
		return ""
	}
	return text[:at+1] + "*"
}
