package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sallyport/config"
	"sallyport/internal/hint"
	"sallyport/internal/shared"
)

// secretLimit is how long a command may take to print a secret.
const secretLimit = 30 * time.Second

// secret reads the value of a secret. One that is not there is an error: a
// program would fail later, and say less.
func secret(env lookup, from config.Secret) (string, error) {
	switch {
	case from.Env != "":
		v, ok := env(from.Env)
		if !ok {
			return "", hint.With(fmt.Errorf("%s is not set", from.Env), "set it where sallyport is started, or take the secret out of sallyport.yaml")
		}
		return v, nil
	case len(from.Exec) > 0:
		path, err := program(env, from)
		if err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(context.Background(), secretLimit)
		defer cancel()
		return printed(ctx, path, from.Exec[1:])
	}
	b, err := readBounded(from.File)
	return strings.TrimRight(string(b), "\r\n"), err
}

// unread is a stand-in for a secret that a command prints, for who only looks. The
// others are read.
func unread(env lookup, from config.Secret) (string, error) {
	if len(from.Exec) == 0 {
		return secret(env, from)
	}
	_, err := program(env, from)
	return "not read, only checked", err
}

// program finds the command that prints a secret.
func program(env lookup, from config.Secret) (string, error) {
	name := from.Exec[0]
	var path string
	var err error
	if strings.Contains(name, "/") {
		path, err = exec.LookPath(name)
	} else {
		search, _ := env("PATH")
		path, err = LookPath(search, name)
	}
	if err != nil {
		return "", hint.With(err, "install it, or write its path")
	}
	return path, nil
}

// printed runs a command for the secret that it prints. The error has nothing of
// what it says, on either output.
func printed(ctx context.Context, path string, args []string) (string, error) {
	var out bounded
	cmd := exec.CommandContext(ctx, path, args...)
	killGroup(cmd)
	cmd.WaitDelay = time.Second // for what it started and left
	cmd.Stdout = &out
	err := cmd.Run()
	value := strings.TrimRight(out.kept.String(), "\r\n")
	name := filepath.Base(path)
	var ended *exec.ExitError
	switch {
	case out.over:
		err = fmt.Errorf("%s prints more than %d KiB", name, maxSmallFile>>10)
	case ctx.Err() != nil:
		err = fmt.Errorf("%s did not end in time", name)
	case errors.As(err, &ended):
		err = fmt.Errorf("%s ended with %v", name, ended.ProcessState)
	case err != nil:
		err = fmt.Errorf("%s: %w", name, err)
	case value == "":
		err = fmt.Errorf("%s prints nothing", name)
	default:
		return value, nil
	}
	return "", hint.With(err, "try it by hand, as the user of sallyport and without a terminal: what it says is not shown here")
}

// bounded keeps what a command prints, up to a limit.
type bounded struct {
	kept bytes.Buffer
	over bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > maxSmallFile {
		b.over = true
		return 0, errors.New("too much")
	}
	return b.kept.Write(p)
}

// WebhookSecret is what signs the messages of ask.webhook, "" where there is none.
func WebhookSecret(s *Setup) (string, error) {
	name := s.Config.Ask.Webhook.SecretFile
	if name == "" {
		return "", nil
	}
	b, err := readBounded(name)
	return strings.TrimSpace(string(b)), s.places().at("ask.webhook.secret_file", err)
}

// HandleKeys is the file of serve.handle_keys, nil where there is none.
func HandleKeys(s *Setup) ([]byte, error) {
	name := s.Config.Serve.HandleKeys
	if name == "" {
		return nil, nil
	}
	b, err := readBounded(name)
	return b, s.places().at("serve.handle_keys", err)
}

// SharedOptions is how serve.shared is reached, without the keys; false where there
// is none.
func SharedOptions(s *Setup) (o shared.Options, ok bool, err error) {
	c := s.Config.Serve.WithDefaults().Shared
	if c.URL == "" {
		return o, false, nil
	}
	o = shared.Options{URL: c.URL, Service: c.Name}
	if c.PasswordFile != "" {
		b, err := readBounded(c.PasswordFile)
		if err != nil {
			return o, false, s.places().at("serve.shared.password_file", err)
		}
		o.Password = strings.TrimRight(string(b), "\r\n")
	}
	if c.CA != "" {
		if o.CA, err = readBounded(c.CA); err != nil {
			return o, false, s.places().at("serve.shared.ca", err)
		}
	}
	return o, true, nil
}
