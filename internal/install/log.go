package install

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"sallyport/audit"
	"sallyport/config"
	"sallyport/gate"
	"sallyport/internal/hint"
)

// AuditDir is where the log is that the configuration names.
func (s *Setup) AuditDir() (string, error) {
	if s.Config.Audit.Dir != "" {
		return s.Config.Audit.Dir, nil
	}
	state, err := stateDir(s.opts.Env)
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "audit"), nil
}

// SpentToday is what runs have used of a quota of a day, by the records.
func SpentToday(s *Setup, q config.Quota) (time.Duration, error) {
	if q.CPUSecondsPerDay == 0 {
		return 0, nil
	}
	dir, err := s.AuditDir()
	if err != nil {
		return 0, err
	}
	spent, err := gate.SpentSince(dir, time.Now().UTC().Truncate(24*time.Hour))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, hint.With(err, "sallyport audit verify says what is wrong with the log")
	}
	return spent, nil
}

// WasInForce is what the service worked by before, by its records.
func WasInForce(s *Setup) (map[string]string, error) {
	dir, err := s.AuditDir()
	if err != nil {
		return nil, err
	}
	was, err := gate.WasInForce(dir)
	if err != nil {
		return nil, hint.With(err, "sallyport audit verify says what is wrong with the log")
	}
	return was, nil
}

// AuditKey reads the key that signs checkpoints.
func AuditKey(path string) (key ed25519.PrivateKey, err error) {
	if key, err = audit.LoadKey(path); err != nil {
		return key, hint.With(hint.While(err, "audit.key"), "sallyport audit keygen makes one")
	}
	return key, nil
}

// AuditOptions is how the configuration wants the log to be kept.
func AuditOptions(cfg config.Audit, dir string) (audit.Options, error) {
	opts := audit.Options{
		Dir:         dir,
		MaxBytes:    cfg.RotateMB << 20,
		MaxAge:      time.Duration(cfg.RotateAfter),
		Checkpoints: cfg.Checkpoints,
	}
	for _, m := range cfg.Mask {
		opts.Mask = append(opts.Mask, audit.MaskRule{Path: m.Path, Replacement: m.Replacement})
	}
	if err := opts.Validate(); err != nil {
		return opts, fmt.Errorf("audit in sallyport.yaml: %w", err)
	}
	if cfg.Key == "" {
		return opts, nil
	}
	var err error
	opts.Key, err = AuditKey(cfg.Key)
	return opts, err
}

// auditLog opens the configured log for writing.
func (s *Setup) auditLog() (*audit.Log, error) {
	dir, err := s.AuditDir()
	if err != nil {
		return nil, err
	}
	opts, err := AuditOptions(s.Config.Audit, dir)
	if err != nil {
		return nil, s.places().audit(err)
	}
	log, err := audit.Open(opts)
	if err != nil {
		fix := "see what is wrong with sallyport audit verify, or set audit.dir in sallyport.yaml"
		if errors.Is(err, fs.ErrPermission) {
			fix = fmt.Sprintf("make %s writable, or set audit.dir in sallyport.yaml", dir)
		}
		return nil, hint.With(err, "nothing runs without a record; %s", fix)
	}
	s.tell.Note("audit log: %s", dir)
	return log, nil
}
