package audit

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// CheckpointVersion names the shape of Checkpoint.
const CheckpointVersion = "checkpoint/v1"

// checkpointName is the file of a log directory that its own checkpoints go to.
const checkpointName = "checkpoints"

// Checkpoint is a signed statement that the log had a record number Seq with
// this Hash. Because records are chained, it vouches for every record up to
// that one. Kept where the log's owner cannot change it, it also proves that
// they were there.
type Checkpoint struct {
	Version   string    `json:"version"`
	Seq       uint64    `json:"seq"`
	Hash      string    `json:"hash"`
	Time      time.Time `json:"time"`
	Key       string    `json:"key"`       // KeyID of the key that signed
	Signature string    `json:"signature"` // Ed25519 over Text, in base64
}

// Text is what is signed.
func (c Checkpoint) Text() string {
	return fmt.Sprintf("sallyport %s\nseq %d\nhash %s\ntime %s\n", c.Version, c.Seq, c.Hash, c.Time.UTC().Format(time.RFC3339Nano))
}

// Verify returns nil when one of the keys signed c.
func (c Checkpoint) Verify(keys []ed25519.PublicKey) error {
	sig, err := base64.StdEncoding.DecodeString(c.Signature)
	if err != nil || c.Version != CheckpointVersion {
		return errors.New("not a checkpoint of the form " + CheckpointVersion)
	}
	for _, k := range keys {
		if KeyID(k) != c.Key {
			continue
		}
		if !ed25519.Verify(k, []byte(c.Text()), sig) {
			return fmt.Errorf("the signature of the checkpoint at record %d is wrong", c.Seq)
		}
		return nil
	}
	return fmt.Errorf("the checkpoint at record %d is signed with the unknown key %q", c.Seq, c.Key)
}

func sign(key ed25519.PrivateKey, l link, now time.Time) Checkpoint {
	c := Checkpoint{Version: CheckpointVersion, Seq: l.seq, Hash: l.hash, Time: now.UTC().Truncate(time.Microsecond)}
	c.Key = KeyID(key.Public().(ed25519.PublicKey))
	c.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(c.Text())))
	return c
}

// Checkpoint signs the newest record and adds the checkpoint to the log's own
// file of them. It is an error when the log is empty or was opened without a
// key.
func (l *Log) Checkpoint(ctx context.Context) (Checkpoint, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return Checkpoint{}, l.broken
	}
	if err := l.locked(ctx, l.tail.catchUp); err != nil {
		return Checkpoint{}, err
	}
	return l.checkpoint()
}

// checkpoint signs the newest record that this process knows of.
func (l *Log) checkpoint() (Checkpoint, error) {
	if l.opts.Key == nil {
		return Checkpoint{}, errors.New("no key to sign a checkpoint with")
	}
	if l.tail.last.seq == 0 {
		return Checkpoint{}, errors.New("the log is empty: there is nothing to sign")
	}
	// The others' newest records need not be on the disk yet.
	if err := l.sync(l.tail.file); err != nil {
		return Checkpoint{}, l.breaks(err)
	}
	c := sign(l.opts.Key, l.tail.last, l.opts.Now())
	if err := addCheckpoint(l.opts.Checkpoints, c); err != nil {
		return Checkpoint{}, fmt.Errorf("writing the checkpoint: %v", err)
	}
	l.signed = c.Seq
	return c, nil
}

// addCheckpoint appends c durably to the file at path.
func addCheckpoint(path string, c Checkpoint) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	// A line that a crash cut short must not swallow the next one.
	var last [1]byte
	if info.Size() > 0 {
		if _, err := f.ReadAt(last[:], info.Size()-1); err != nil {
			return errors.Join(err, f.Close())
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// maxCheckpoints bounds what is read as a file of checkpoints.
const maxCheckpoints = 256 << 20

// ReadCheckpoints reads checkpoints, one JSON object a line. It also returns
// how many lines were no checkpoint: what a crash left, or damage.
func ReadCheckpoints(r io.Reader) (list []Checkpoint, bad int, err error) {
	in := bufio.NewScanner(io.LimitReader(r, maxCheckpoints))
	for in.Scan() {
		var c Checkpoint
		if err := json.Unmarshal(in.Bytes(), &c); err != nil || c.Version != CheckpointVersion || c.Seq == 0 {
			bad++
			continue
		}
		list = append(list, c)
	}
	return list, bad, in.Err()
}

// LoadCheckpoints reads the checkpoints in a file; see ReadCheckpoints.
func LoadCheckpoints(path string) (list []Checkpoint, bad int, err error) {
	f, err := openFile(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	list, bad, err = ReadCheckpoints(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %v", path, err)
	}
	return list, bad, nil
}
