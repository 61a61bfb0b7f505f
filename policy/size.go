package policy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
)

// Bounds of an operator's policy: far more than one needs, and little enough
// that reading it takes no more memory than a server has to spare.
const (
	maxFileBytes   = 4 << 20
	maxBundleBytes = 16 << 20 // packed
	maxPolicyBytes = 16 << 20 // unpacked
	maxRegoBytes   = 2 << 20  // of all rules: as a syntax tree they weigh a hundred times as much
	maxDataValues  = 500_000  // in all data.json
	maxFiles       = 2000
)

// policySize adds up what a policy brings, while it is read.
type policySize struct {
	files, bytes, rego, values int
	buf                        [32 << 10]byte
}

func (s *policySize) addFile() error {
	if s.files++; s.files > maxFiles {
		return fmt.Errorf("more than %d files", maxFiles)
	}
	return nil
}

// addText reads a file to its end, or to where there is too much.
func (s *policySize) addText(name string, r io.Reader) error {
	isRego, isData := path.Ext(name) == ".rego", path.Ext(name) == ".json"
	for here := 0; ; {
		n, err := r.Read(s.buf[:])
		here, s.bytes = here+n, s.bytes+n
		if isRego {
			s.rego += n
		}
		if isData { // each value in a list or an object stands behind one of these
			for _, c := range s.buf[:n] {
				if c == ',' || c == '[' || c == '{' {
					s.values++
				}
			}
		}
		switch {
		case here > maxFileBytes:
			return fmt.Errorf("%s is larger than %d bytes", name, maxFileBytes)
		case s.bytes > maxPolicyBytes:
			return fmt.Errorf("the files are larger than %d bytes together", maxPolicyBytes)
		case s.rego > maxRegoBytes:
			return fmt.Errorf("the rules are larger than %d bytes together", maxRegoBytes)
		case s.values > maxDataValues:
			return fmt.Errorf("the data holds more than %d values", maxDataValues)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// boundedBundle returns the bytes of a bundle that is within the bounds. It
// unpacks it once to see that, and keeps nothing of that.
func boundedBundle(r io.Reader) ([]byte, error) {
	packed, err := io.ReadAll(io.LimitReader(r, maxBundleBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(packed) > maxBundleBytes:
		return nil, fmt.Errorf("larger than %d bytes", maxBundleBytes)
	}
	all := bytes.NewReader(packed)
	gz, err := gzip.NewReader(all)
	if err != nil {
		return nil, fmt.Errorf("not packed with gzip: %v", err)
	}
	gz.Multistream(false)
	// What is no file of the bundle, such as padding, counts as well.
	unpacked := &io.LimitedReader{R: gz, N: maxPolicyBytes + maxFiles*4096}
	files := tar.NewReader(unpacked)
	var size policySize
	for {
		header, err := files.Next()
		switch {
		case unpacked.N <= 0:
			return nil, fmt.Errorf("the files are larger than %d bytes together", maxPolicyBytes)
		case errors.Is(err, io.EOF):
			return packed, endsHere(unpacked, all)
		case err != nil:
			return nil, err
		}
		if err := size.addFile(); err != nil {
			return nil, err
		}
		// No signature is about a link, and another reader may follow it.
		switch header.Typeflag {
		case tar.TypeReg, tar.TypeDir, tar.TypeXGlobalHeader: // the last is about the archive, as git writes it
		default:
			return nil, fmt.Errorf("%q is neither a file nor a directory", header.Name)
		}
		if err := size.addText(header.Name, files); err != nil {
			return nil, err
		}
	}
}

// endsHere refuses what stands behind the last file of a bundle: no signature is
// about it, and another reader may take it for more.
func endsHere(unpacked *io.LimitedReader, packed *bytes.Reader) error {
	padding, err := io.ReadAll(unpacked)
	switch {
	case err != nil:
		return err
	case unpacked.N <= 0 || packed.Len() > 0 || len(bytes.Trim(padding, "\x00")) > 0:
		return errors.New("there are bytes behind its end")
	}
	return nil
}
