package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sallyport/internal/hint"
)

// loadAdditions adds what the operator says of symbols, over the catalogs.
func (l *loaded) loadAdditions(additions map[string]map[string]string) error {
	for _, lang := range slices.Sorted(maps.Keys(additions)) {
		if l.catalog.languages[lang] == nil {
			return fmt.Errorf("catalog addition: unknown language %q", lang)
		}
		var text strings.Builder
		for _, pattern := range slices.Sorted(maps.Keys(additions[lang])) {
			caps, err := capabilityList(additions[lang][pattern])
			if err != nil {
				return &OptionError{"catalog", lang + "." + pattern, fmt.Errorf("catalog addition %s, %s: %w", lang, pattern, err)}
			}
			if pattern == "" || strings.ContainsAny(pattern, " \t\n#") {
				return &OptionError{"catalog", lang + "." + pattern, fmt.Errorf("catalog addition %s: %q is not a symbol", lang, pattern)}
			}
			fmt.Fprintf(&text, "%s %s\n", pattern, caps)
		}
		loosened, err := l.catalog.extend(file{"catalog additions/" + lang + ".txt", text.String()}, l.sum)
		if err != nil {
			return err
		}
		l.loosened = append(l.loosened, loosened...)
	}
	return nil
}

// capabilityList reads "network, process". A name that no rule can ask for is a
// mistake that would let the symbol pass.
func capabilityList(text string) (string, error) {
	var caps []string
	for c := range strings.SplitSeq(text, ",") {
		c = strings.TrimSpace(c)
		if c != capBenign && !slices.Contains(capabilityNames, c) {
			if best := hint.Nearest(c, capabilityNames); best != "" {
				return "", fmt.Errorf("unknown capability %q; did you mean %q?", c, best)
			}
			return "", fmt.Errorf("unknown capability %q, want %s or one of %s", c, capBenign, strings.Join(capabilityNames, ", "))
		}
		caps = append(caps, c)
	}
	return strings.Join(caps, ","), nil
}
