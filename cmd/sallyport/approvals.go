package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"sallyport/internal/approvals"
	"sallyport/internal/client"
	"sallyport/internal/hint"
)

func approvalsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Answer what others want to run at a service",
		Long: `List, show and answer what waits for approval at a sallyport serve. It takes a
token with the scope approve, of somebody whom ask.by in the service's
configuration names; who asks cannot answer. An approval is one run of exactly
what is shown.`,
	}
	const path = "/v1/approvals"
	list := approvalsVerb(a, "list", "List what waits", func(ctx context.Context, c *client.Client, _ string) (any, string, error) {
		var all approvals.List
		err := c.Do(ctx, http.MethodGet, path, nil, &all)
		var b strings.Builder
		for _, v := range all.Approvals {
			b.WriteString(v.Line() + "\n")
		}
		return all, b.String(), err
	})
	show := approvalsVerb(a, "show ID", "Show all of one: the code, who asks, and what for", func(ctx context.Context, c *client.Client, id string) (any, string, error) {
		var v approvals.View
		err := c.Do(ctx, http.MethodGet, path+"/"+url.PathEscape(id), nil, &v)
		return v, v.Text(), err
	})
	cmd.AddCommand(list, show)
	for verb, short := range map[string]string{"approve": "Let it run once", "decline": "Do not let it run"} {
		var reason string
		one := approvalsVerb(a, verb+" ID", short, func(ctx context.Context, c *client.Client, id string) (any, string, error) {
			var v approvals.View
			err := c.Do(ctx, http.MethodPost, path+"/"+url.PathEscape(id), approvals.Given{Answer: verb, Reason: reason}, &v)
			return v, v.Done() + "\n", err
		})
		one.Flags().StringVar(&reason, "reason", "", "say why: a `REASON` for the record and for who asks")
		cmd.AddCommand(one)
	}
	return cmd
}

// approvalsVerb is one that asks a service, of one question or of all, and tells
// what it answers, as JSON or as text.
func approvalsVerb(a *app, use, short string, ask func(ctx context.Context, c *client.Client, id string) (any, string, error)) *cobra.Command {
	var o client.Options
	var format string
	of := strings.Count(use, " ")
	cmd := &cobra.Command{
		Use: use, Short: short, Args: wants(of, of), Long: short + ".",
		Example: "  sallyport approvals " + use + " --server https://sandbox.example",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.service(o)
			if err != nil {
				return err
			}
			if c == nil {
				return hint.With(hint.Usage("no service is named"), "--server URL names it")
			}
			v, text, err := ask(cmd.Context(), c, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if format == "json" {
				return approvals.WriteJSON(a.tell.stdout, v)
			}
			_, err = io.WriteString(a.tell.stdout, text)
			return err
		},
	}
	formatFlag(cmd, &format, "text", "json")
	serverFlags(cmd, &o)
	return cmd
}
