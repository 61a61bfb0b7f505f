package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
	"sallyport/analyze/python"
	"sallyport/gate"
	"sallyport/policy"
)

type factsFlags struct {
	language string
	input    bool
	schema   bool
}

func (a *app) factsCommand() *cobra.Command {
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
				return a.printSchema(f)
			}
			return a.facts(cmd.Context(), f, args[0])
		},
	}
	fl := cmd.Flags()
	languageFlag(cmd, &f.language, "")
	fl.BoolVar(&f.input, "input", false, "print the whole input document and not input.source alone")
	fl.BoolVar(&f.schema, "schema", false, "print the JSON Schema instead")
	return cmd
}

func (a *app) printSchema(f factsFlags) error {
	schema := policy.InputSchema()
	if !f.input {
		var err error
		if schema, err = policy.FactsSchema(); err != nil {
			return err
		}
	}
	return a.printJSON(schema)
}

func (a *app) facts(ctx context.Context, f factsFlags, name string) error {
	req, err := a.readSource(ctx, name, f.language)
	if err != nil {
		return err
	}
	req.Tool = "check"
	if !f.input {
		src, err := gate.Facts(ctx, analyze.New(python.Reader(), javascript.Reader()), req)
		if err != nil {
			return refusal(req.Name, err)
		}
		return writeJSON(a.stdout, src)
	}
	s, err := a.openForTools()
	if err != nil {
		return err
	}
	in, err := s.gate.Input(ctx, req)
	if err != nil {
		return refusal(req.Name, err)
	}
	doc, err := s.engine.InputJSON(in)
	if err != nil {
		return err
	}
	return a.printJSON(doc)
}

// refusal is the error of a source without facts: it can never be allowed, and
// so counts as denied.
func refusal(name string, err error) error {
	var r *analyze.Refusal
	if errors.As(err, &r) {
		return fmt.Errorf("%w%s: no facts: %w", silent{errDenied}, name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// openForTools opens a session that judges and keeps no record.
func (a *app) openForTools() (session, error) {
	cfg, err := a.config()
	if err != nil {
		return session{}, err
	}
	a.noRecord = true
	return a.open(cfg, false)
}

func (a *app) printJSON(doc []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, doc, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, b.String())
	return err
}
