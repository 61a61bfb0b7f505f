package serve

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A caller who does not send what was announced is answered, and holds no
// connection, whoever it is and whatever is asked for.
func TestUnsentBodies(t *testing.T) {
	t.Parallel()
	f := start(t)
	for name, tc := range map[string]struct {
		head, want string
		most       time.Duration
	}{
		"of nobody":                {"POST /v1/check HTTP/1.1\r\nHost: AT\r\nContent-Length: 100\r\n", "401", 4 * headerTime},
		"of nobody, in chunks":     {"POST /v1/check HTTP/1.1\r\nHost: AT\r\nTransfer-Encoding: chunked\r\n", "401", 4 * headerTime},
		"to another host":          {"POST /v1/check HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n", "421", 4 * headerTime},
		"to nowhere":               {"POST /nowhere HTTP/1.1\r\nHost: AT\r\nContent-Length: 100\r\n", "404", 4 * headerTime},
		"of what has none":         {"GET /openapi.json HTTP/1.1\r\nHost: AT\r\nContent-Length: 100\r\n", "200", 4 * headerTime},
		"of somebody, another one": {"POST /v1/check HTTP/1.1\r\nHost: AT\r\nAuthorization: Bearer " + f.ci + "\r\nContent-Length: 100\r\n", "415", 4 * headerTime},
		"of somebody":              {"POST /v1/check HTTP/1.1\r\nHost: AT\r\nAuthorization: Bearer " + f.ci + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n", "408", 2 * bodyTime},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", f.at)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.SetDeadline(time.Now().Add(tc.most)); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprint(c, strings.ReplaceAll(tc.head, "AT", f.at)+"\r\n"); err != nil {
				t.Fatal(err)
			}
			said, err := io.ReadAll(c)
			if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 "+tc.want) {
				t.Errorf("it was answered %.100q, and then: %v", said, err)
			}
		})
	}
}

// A caller who asks and asks and does not read holds no connection.
func TestUnreadAnswers(t *testing.T) {
	t.Parallel()
	f := start(t)
	c, err := net.Dial("tcp", f.at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(4 * answerTime)); err != nil {
		t.Fatal(err)
	}
	asked := strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: "+f.at+"\r\n\r\n", 1000)
	for err == nil {
		_, err = io.WriteString(c, asked)
	}
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Errorf("it is still open: %v", err)
	}
}
