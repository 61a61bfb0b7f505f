package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sallyport/analyze"
	"sallyport/answer"
	"sallyport/gate"
)

// maxEnvironmentsShown is how many stand in the schema of a tool. All of them are in
// the resource sallyport://environments.
const maxEnvironmentsShown = 12

// environments are those that have a language, the default one first; "" asks
// for all of them.
func (s *Server) environments(language string) answer.Environments {
	return s.opts.Environments.Of(language)
}

func (o *Options) known() answer.Environments { return o.Environments }

func namesOf(all answer.Environments) []string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name
	}
	return names
}

// environmentArgument is the schema of the argument that names an environment.
func (s *Server) environmentArgument(language string) schema {
	all := s.environments(language)
	var b strings.Builder
	b.WriteString("Where to run; nothing can be installed.")
	for i, e := range all {
		if i == maxEnvironmentsShown {
			b.WriteString(" More: resource sallyport://environments.")
			break
		}
		b.WriteString(" " + e.InShort(language))
	}
	return describe("string", b.String(), schema{"enum": namesOf(all), "default": "default"})
}

// wrongEnvironment refuses an environment that is not there, or that lacks the
// language: it is never replaced by another one.
func (s *Server) wrongEnvironment(ctx context.Context, who gate.Principal, args arguments) *problem {
	have := namesOf(s.environments(string(analyze.Language(args.language).Runs())))
	if args.environment == "" || slices.Contains(have, args.environment) {
		return nil
	}
	why := fmt.Sprintf("there is no environment %q", answer.Clip(args.environment, 64))
	if slices.Contains(namesOf(s.environments("")), args.environment) {
		why = fmt.Sprintf("environment %q has no %s", args.environment, args.language)
	} else {
		s.opts.missing(ctx, who, "environment", "environment", args.environment)
	}
	return new(refusal("environment", fmt.Sprintf("The call was refused: %s. Nothing ran. Environments that have %s: %s.", why, args.language, strings.Join(have, ", "))))
}
