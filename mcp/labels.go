package mcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"sallyport/answer"
	"sallyport/gate"
	"sallyport/internal/hint"
)

// metaLabels is the key in a call's _meta below which its labels are. They are
// the client's word, and no argument: a model neither sees nor chooses them.
const metaLabels = "sallyport/labels"

// labelsOf reads the labels of a call.
func labelsOf(call mcp.CallToolRequest) (map[string]string, error) {
	if call.Params.Meta == nil {
		return nil, nil
	}
	v, ok := call.Params.Meta.AdditionalFields[metaLabels]
	if !ok {
		return nil, nil
	}
	labels, err := readLabels(v)
	if err != nil {
		return nil, fmt.Errorf("%s in _meta %w", metaLabels, err)
	}
	return labels, nil
}

// readLabels reads an object of texts. Its error completes the sentence that
// begins with where it stood.
func readLabels(v any) (map[string]string, error) {
	given, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("must be an object of strings")
	}
	labels := make(map[string]string, len(given))
	for key, value := range given {
		if labels[key], ok = value.(string); !ok {
			return nil, fmt.Errorf("must be an object of strings, and %q is none", answer.Clip(answer.Visible(key), 64))
		}
	}
	if err := gate.CheckLabels(labels); err != nil {
		return nil, fmt.Errorf("has a %s", answer.Visible(hint.Text(err)))
	}
	return labels, nil
}

// readLabels reads those of the plain API.
func (a *arguments) readLabels(raw json.RawMessage) (err error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return errors.New("is not valid JSON")
	}
	a.labels, err = readLabels(v)
	return err
}
