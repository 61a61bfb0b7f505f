package install

import (
	"errors"
	"fmt"
	"slices"

	"sallyport/audit"
	"sallyport/config"
	"sallyport/egress"
	"sallyport/internal/hint"
	"sallyport/policy"
)

// places says of errors where in the configuration the keys stand that they are
// about.
type places struct {
	cfg   config.Config
	packs bool // are those of a flag
}

func (s *Setup) places() places { return places{s.Config, len(s.opts.Packs) > 0} }

// at is an error about the value of a key, with its place.
func (p places) at(key string, err error) error {
	if place := p.cfg.Place(key); err != nil && place != "" {
		return hint.While(err, "%s", place)
	}
	return err
}

// policy is an error about what the configuration says of policies, with its place.
func (p places) policy(err error) error {
	var o *policy.OptionError
	if !errors.As(err, &o) {
		return err
	}
	key := "policy." + o.Option + "." + o.Name
	switch o.Option {
	case "packs":
		if p.packs { // which a flag named
			return err
		}
		key = fmt.Sprintf("policy.packs[%d]", slices.Index(p.cfg.Policy.Packs, o.Name))
	case "exceptions":
		i := slices.IndexFunc(p.cfg.Policy.Exceptions, func(x config.Exception) bool { return x.ID == o.Name })
		key = fmt.Sprintf("policy.exceptions[%d].rule", i)
	}
	return p.at(key, err)
}

// egress is an error about what an environment may reach, with its place.
func (p places) egress(name string, err error) error {
	key := "environments." + name + ".egress"
	var r *egress.RuleError
	if errors.As(err, &r) {
		i := slices.IndexFunc(p.cfg.Environments[name].Egress.Allow, func(x config.EgressRule) bool { return x.Name == r.Rule })
		key = fmt.Sprintf("%s.allow[%d]", key, i)
	}
	return p.at(key, err)
}

// environment is an error about an environment, with its place.
func (p places) environment(name string, err error) error {
	if errors.As(err, new(*egress.RuleError)) {
		return p.egress(name, err)
	}
	return p.at("environments."+name, err)
}

// audit is an error about how the log is to be kept, with its place.
func (p places) audit(err error) error {
	for i, m := range p.cfg.Audit.Mask {
		if (audit.Options{Dir: "-", Mask: []audit.MaskRule{audit.MaskRule(m)}}).Validate() != nil {
			return p.at(fmt.Sprintf("audit.mask[%d]", i), err)
		}
	}
	return p.at("audit.key", err)
}
