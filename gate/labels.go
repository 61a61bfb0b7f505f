package gate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sallyport/internal/hint"
)

// Bounds of labels: room for a ticket, a team and a project, and not for a text.
const (
	maxLabels     = 16
	maxLabelKey   = 63
	maxLabelValue = 256
)

// ErrLabels is wrapped by the error of a request whose labels are not as they
// may be. Its text says which one and why, its hint what a label is.
var ErrLabels = errors.New("bad label")

// badLabel is an error about a label, with what one has to be.
func badLabel(format string, args ...any) error {
	return hint.With(fmt.Errorf("%w: %s", ErrLabels, fmt.Sprintf(format, args...)),
		"at most %d labels KEY=VALUE: a key has 1 to %d of a-z, A-Z, 0-9 and . _ - / and begins with a letter or digit; a value has 1 to %d bytes of text that shows",
		maxLabels, maxLabelKey, maxLabelValue)
}

// ParseLabels reads labels as people write them: KEY=VALUE.
func ParseLabels(list []string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	labels := make(map[string]string, len(list))
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, badLabel("%.80q has no =", text)
		}
		if _, twice := labels[key]; twice {
			return nil, badLabel("%.80q is given twice", key)
		}
		labels[key] = value
	}
	return labels, CheckLabels(labels)
}

// CheckLabels refuses labels that are too many, too long or of other characters
// than they may be. None is cut or mended: a rule, and whoever searches the log,
// must find what the caller said.
func CheckLabels(labels map[string]string) error {
	if n := len(labels); n > maxLabels {
		return badLabel("there are %d labels", n)
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value := labels[key]
		switch {
		case key == "" || len(key) > maxLabelKey || !alphanumeric(rune(key[0])) || strings.ContainsFunc(key, func(r rune) bool {
			return !alphanumeric(r) && !strings.ContainsRune("._-/", r)
		}):
			return badLabel("%.80q is no key", key)
		case value == "":
			return badLabel("%q has no value", key)
		case len(value) > maxLabelValue:
			return badLabel("the value of %q has %d bytes", key, len(value))
		case !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
			return badLabel("the value of %q has characters that do not show", key)
		}
	}
	return nil
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// labelled is a request whose labels are as they may be. A secret of any
// environment is hidden in them before a rule or a record sees it.
func (g *Gate) labelled(req Request) (Request, error) {
	if len(req.Labels) == 0 {
		return req, nil
	}
	if err := CheckLabels(req.Labels); err != nil {
		return req, err
	}
	var secrets redactor
	for _, name := range slices.Sorted(maps.Keys(g.opts.Environments)) {
		secrets = append(secrets, newRedactor(g.opts.Environments[name].Secrets)...)
	}
	secrets.longestFirst()
	req.Labels = secrets.labels(req.Labels)
	return req, nil
}

// labels returns labels without secrets.
func (r redactor) labels(labels map[string]string) map[string]string {
	out := make(map[string]string, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		out[r.text(key)] = r.text(labels[key])
	}
	return out
}
