package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"sallyport/answer"
	"sallyport/internal/approvals"
	"sallyport/mcp"
	"sallyport/policy"
)

const openAPIPath = "/openapi.json"

// operation is one call of the plain API. Its shapes are names of components.
type operation struct {
	scope, summary string
	takes, gives   string
	more           map[int]string // answers that only it has
	events         bool
}

// operations are the plain API, by their routes.
var operations = map[string]operation{
	"POST /v1/check": {scope: mcp.ScopeCheck, summary: "Judge a program without running it", takes: "CheckRequest", gives: "Answer"},
	"POST /v1/run": {scope: mcp.ScopeRun, summary: "Judge a program and, where policy allows it, run it", takes: "RunRequest", gives: "Answer", events: true,
		more: map[int]string{202: "It waits for another person's approval: make the same call again"}},
	"GET " + approvalsPath: {scope: mcp.ScopeApprove, summary: "What waits for an answer in the tenant", gives: "Approvals",
		more: map[int]string{404: "Nobody is asked in this tenant"}},
	"GET " + approvalsPath + "/{id}": {scope: mcp.ScopeApprove, summary: "All of one question", gives: "Approval",
		more: map[int]string{404: "There is none by this name"}},
	"POST " + approvalsPath + "/{id}": {scope: mcp.ScopeApprove, summary: "Approve or decline", takes: "ApprovalAnswer", gives: "Approval",
		more: map[int]string{404: "There is none by this name", 409: "It has been answered"}},
}

// refusals are the answers that every call may have.
var refusals = map[int]string{
	http.StatusBadRequest:            "The request, or an argument of it, cannot be taken",
	http.StatusUnauthorized:          "No proof of identity, or one that does not hold; WWW-Authenticate says what would do",
	http.StatusForbidden:             "Not with these scopes, for this tenant, from this page, or for this person",
	http.StatusRequestTimeout:        "The message did not come in time",
	http.StatusRequestEntityTooLarge: "The message is too large",
	http.StatusUnsupportedMediaType:  "The message is no application/json",
	http.StatusMisdirectedRequest:    "The service is not known by that name",
	http.StatusTooManyRequests:       "Too many calls, or a quota is used up; Retry-After says when to come again",
	http.StatusInternalServerError:   "The service could not do its work; nothing ran",
	http.StatusServiceUnavailable:    "Too busy, or identity cannot be verified now; Retry-After says when to come again",
}

// events are what a stream tells, by the shapes of their data.
var events = map[string]string{"output": "Printed", "answer": "Answer", "error": "StreamProblem"}

// OpenAPI is the description of the plain API at an address, by OpenAPI 3.1. Its
// shapes are those that the service itself reads and writes.
func OpenAPI(address string) ([]byte, error) {
	all, err := shapes()
	if err != nil {
		return nil, fmt.Errorf("describing the plain API: %w", err)
	}
	paths := map[string]map[string]any{}
	for route, op := range operations {
		method, path, _ := strings.Cut(route, " ")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = op.object(method, path)
	}
	refused := map[string]any{}
	for code, why := range refusals {
		refused[strconv.Itoa(code)] = response(code, why, "")
	}
	var b bytes.Buffer
	err = answer.WriteJSON(&b, map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "sallyport", "version": "v1",
			"description": "Judges programs by policy and runs them in sandboxes. Fields are only ever added: pass over what you do not know.",
		},
		"servers":  []any{map[string]any{"url": address}},
		"paths":    paths,
		"security": []any{map[string]any{"token": []any{}}, map[string]any{"certificate": []any{}}},
		"components": map[string]any{
			"schemas": all, "responses": refused,
			"securitySchemes": map[string]any{
				"token":       map[string]any{"type": "http", "scheme": "bearer", "description": "An access token of an issuer that the service trusts, or a static token."},
				"certificate": map[string]any{"type": "mutualTLS"},
			},
		},
	})
	return b.Bytes(), err
}

func (op operation) object(method, path string) map[string]any {
	ok := jsonOf(op.gives)
	if op.events {
		told := map[string]any{}
		for name, shape := range events {
			told[name] = ref(shape)
		}
		ok["text/event-stream"] = map[string]any{
			"schema":   map[string]any{"type": "string", "description": "For whoever accepts it before anything else: server-sent events, the last of which is answer or error."},
			"x-events": told,
		}
	}
	codes := map[string]any{"200": map[string]any{"description": op.gives, "content": ok}}
	for code := range refusals {
		codes[strconv.Itoa(code)] = map[string]any{"$ref": "#/components/responses/" + strconv.Itoa(code)}
	}
	for code, why := range op.more {
		codes[strconv.Itoa(code)] = response(code, why, op.gives)
	}
	name, _, one := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/{")
	if one {
		name = strings.TrimSuffix(name, "s")
	}
	o := map[string]any{
		"operationId": strings.ToLower(method) + strings.ToUpper(name[:1]) + name[1:],
		"summary":     op.summary, "description": "Wants the scope " + op.scope + ".", "responses": codes,
	}
	var parameters []any
	if one {
		parameters = append(parameters, map[string]any{"name": "id", "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
	}
	if op.events {
		parameters = append(parameters, map[string]any{"name": "Prefer", "in": "header", "schema": map[string]any{"type": "string"}, "example": "wait=60",
			"description": "How many seconds to wait for another person's approval."})
	}
	if parameters != nil {
		o["parameters"] = parameters
	}
	if op.takes != "" {
		o["requestBody"] = map[string]any{"required": true, "content": jsonOf(op.takes)}
	}
	return o
}

// response is what an answer with a status says: a shape, or what is wrong.
func response(code int, why, shape string) map[string]any {
	if code >= 300 {
		shape = "Problem"
	}
	r := map[string]any{"description": why, "content": jsonOf(shape)}
	if slices.Contains([]int{http.StatusAccepted, http.StatusTooManyRequests, http.StatusServiceUnavailable}, code) {
		r["headers"] = map[string]any{"Retry-After": map[string]any{"description": "Seconds.", "schema": map[string]any{"type": "integer"}}}
	}
	return r
}

func jsonOf(shape string) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": ref(shape)}}
}

const shapesPath = "#/components/schemas/"

func ref(shape string) map[string]any { return map[string]any{"$ref": shapesPath + shape} }

// shapes are the schemas of all that is read and written: those that are published,
// and of types that are written as they are.
func shapes() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	check, run := mcp.PlainSchemas()
	for name, text := range map[string][]byte{"CheckRequest": check, "RunRequest": run, "Decision": policy.DecisionSchema()} {
		s := &jsonschema.Schema{}
		if err := json.Unmarshal(definitions.ReplaceAll(text, []byte(shapesPath)), s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		maps.Copy(all, s.Definitions)
		s.Definitions, s.Schema = nil, ""
		all[name] = s
	}
	known := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[[]byte]():    {Type: "string", ContentEncoding: "base64"},
	}
	for name, t := range map[string]reflect.Type{
		"Decision": reflect.TypeFor[policy.Decision](), "finding": reflect.TypeFor[policy.Finding](), "limits": reflect.TypeFor[policy.Limits](),
		"Approval": reflect.TypeFor[approvals.View](),
	} {
		known[t] = &jsonschema.Schema{Ref: shapesPath + name}
	}
	for name, t := range map[string]reflect.Type{
		"Answer": reflect.TypeFor[answer.Answer](), "Printed": reflect.TypeFor[mcp.Printed](), "Problem": reflect.TypeFor[mcp.Problem](), "StreamProblem": reflect.TypeFor[mcp.StreamProblem](),
		"Approval": reflect.TypeFor[approvals.View](), "Approvals": reflect.TypeFor[approvals.List](), "ApprovalAnswer": reflect.TypeFor[approvals.Given](),
	} {
		others := maps.Clone(known)
		delete(others, t)
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: others})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = s
	}
	for name, s := range all {
		written(s, !slices.Contains([]string{"CheckRequest", "RunRequest", "ApprovalAnswer"}, name))
	}
	return all, nil
}

var definitions = regexp.MustCompile(`#/definitions/`)

// written has a schema say how a value is written: null nowhere, because what is not
// there is left out, and, of what we tell, with fields that may be added.
func written(s *jsonschema.Schema, told bool) {
	if s == nil {
		return
	}
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	switch len(s.Types) {
	case 0:
		s.Types = nil
	case 1:
		s.Type, s.Types = s.Types[0], nil
	}
	if told && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	written(s.Items, told)
	if len(s.Properties) == 0 {
		written(s.AdditionalProperties, told)
	}
	for _, p := range s.Properties {
		written(p, told)
	}
}

// openAPI answers with the description of the plain API, to whoever asks: it says
// nothing of what is configured.
func (s *Service) openAPI(w http.ResponseWriter, _ *http.Request) {
	b, err := OpenAPI(s.base.String())
	if err != nil {
		s.opts.Log("%v", err)
		fail(w, http.StatusInternalServerError, "error", "the description could not be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(b) // whoever does not read it does not know it
}
