package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/javascript/typescript"
	"sallyport/analyze/python"
	"sallyport/analyze/python/notebook"
	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/install"
	"sallyport/policy"
)

type factsFlags struct {
	language string
	input    bool
	schema   bool
}

func factsCommand(a *app) *cobra.Command {
	var f factsFlags
	cmd := &cobra.Command{
		Use:   "facts FILE|-",
		Short: "Print what rules see of a program",
		Long: `Print, as JSON, the facts about a program that rules see as input.source.
Nothing is judged, run or recorded. With --input, print the whole input
document, with what the capability catalog says of each symbol.`,
		Example: `  sallyport facts job.py
  sallyport facts --input job.py > input.json   # for opa eval --input
  sallyport facts --schema`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.schema {
				return wants(0, 0)(cmd, args)
			}
			return wants(1, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.schema {
				return printSchema(a.tell.stdout, f.input)
			}
			req, err := a.in.program(cmd.Context(), args[0], f.language)
			if err != nil {
				return err
			}
			req.Tool = "check"
			if !f.input {
				return facts(cmd.Context(), a.tell.stdout, req)
			}
			return a.looking(func(s *install.Opened) error { return wholeInput(cmd.Context(), a.tell.stdout, s, req) })
		},
	}
	fl := cmd.Flags()
	labelFlag(cmd, &a.in.labels, labelUsage)
	languageFlag(cmd, &f.language, "")
	fl.BoolVar(&f.input, "input", false, "print the whole input document and not input.source alone")
	fl.BoolVar(&f.schema, "schema", false, "print the JSON Schema instead")
	return cmd
}

func printSchema(out io.Writer, ofInput bool) error {
	schema := policy.InputSchema()
	if !ofInput {
		var err error
		if schema, err = policy.FactsSchema(); err != nil {
			return err
		}
	}
	return printJSON(out, schema)
}

// facts prints what rules see of a program, whatever they would say.
func facts(ctx context.Context, out io.Writer, req gate.Request) error {
	src, err := gate.Facts(ctx, analyze.New(python.Reader(), javascript.Reader(), typescript.Reader(), notebook.Reader()), req)
	if err != nil {
		return refusal(req.Name, err)
	}
	return answer.WriteJSON(out, src)
}

// wholeInput prints the document by which rules judge a program.
func wholeInput(ctx context.Context, out io.Writer, s *install.Opened, req gate.Request) error {
	in, err := s.Gate.Input(ctx, req)
	if err != nil {
		return refusal(req.Name, err)
	}
	doc, err := s.Engine.InputJSON(in)
	if err != nil {
		return err
	}
	return printJSON(out, doc)
}

// refusal is the error of a source without facts: it can never be allowed, and
// so counts as denied.
func refusal(name string, err error) error {
	var r *analyze.Refusal
	if errors.As(err, &r) {
		return marked{errDenied, fmt.Errorf("%s: no facts: %w", name, err)}
	}
	return fmt.Errorf("%s: %w", name, err)
}

func printJSON(out io.Writer, doc []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, doc, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, b.String())
	return err
}
