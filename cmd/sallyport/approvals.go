package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

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
	list := approvalsVerb(a, "list", 0, "List what waits", func(c *client.Client, cmd *cobra.Command, _ []string) error {
		var all struct{ Approvals []approvals.View }
		if err := c.Do(cmd.Context(), http.MethodGet, path, nil, &all); err != nil {
			return err
		}
		for _, v := range all.Approvals {
			fmt.Fprintln(a.tell.stdout, v.Line())
		}
		return nil
	})
	show := approvalsVerb(a, "show ID", 1, "Show all of one: the code, who asks, and what for", func(c *client.Client, cmd *cobra.Command, args []string) error {
		var v approvals.View
		if err := c.Do(cmd.Context(), http.MethodGet, path+"/"+url.PathEscape(args[0]), nil, &v); err != nil {
			return err
		}
		_, err := io.WriteString(a.tell.stdout, v.Text())
		return err
	})
	cmd.AddCommand(list, show)
	for verb, short := range map[string]string{"approve": "Let it run once", "decline": "Do not let it run"} {
		var reason string
		one := approvalsVerb(a, verb+" ID", 1, short, func(c *client.Client, cmd *cobra.Command, args []string) error {
			var done struct{ ID string }
			return c.Do(cmd.Context(), http.MethodPost, path+"/"+url.PathEscape(args[0]), approvals.Given{Answer: verb, Reason: reason}, &done)
		})
		one.Flags().StringVar(&reason, "reason", "", "say why: a `REASON` for the record and for who asks")
		cmd.AddCommand(one)
	}
	return cmd
}

// approvalsVerb is one that asks a service.
func approvalsVerb(a *app, use string, args int, short string, run func(*client.Client, *cobra.Command, []string) error) *cobra.Command {
	var o client.Options
	cmd := &cobra.Command{
		Use: use, Short: short, Args: wants(args, args), Long: short + ".",
		Example: "  sallyport approvals " + use + " --server https://sandbox.example",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.service(o)
			if err != nil {
				return err
			}
			if c == nil {
				return hint.With(hint.Usage("no service is named"), "--server URL names it")
			}
			return run(c, cmd, args)
		},
	}
	serverFlags(cmd, &o)
	return cmd
}
