package gate

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"

	"sallyport/audit"
)

// Principal is who asks, as sallyport itself knows it: never what a client says
// of itself. Policy, exceptions and records all get it from here. The zero
// Principal is nobody.
type Principal struct {
	Issuer  string // who vouches for it: an issuer's URL, "token", "certificate"; "" is this machine
	Subject string // what the issuer calls it, for good
	Name    string // for people to read; of this machine's users, the one that rules and exceptions name
	Groups  []string
	Tenant  string
	Scopes  []string // what it may ask for; of a local user, everything
	How     string   // it was identified: local, token, oauth, certificate
}

// LocalUser is the How of whoever runs this process.
const LocalUser = "local"

// ErrNobody is returned for a request to a gate for others that says not whose
// it is, and wrapped by the error of a cell for somebody else's session.
var ErrNobody = errors.New("whose request it is is not known")

// ID names the principal in rules, exceptions and records. No name that an
// issuer gives is that of a user of this machine.
func (p Principal) ID() string {
	if p.How == LocalUser {
		return p.Name
	}
	return p.Issuer + "|" + p.Subject
}

// May reports whether the principal may ask for what a scope stands for. A local
// user may ask for everything, nobody for nothing.
func (p Principal) May(scope string) bool {
	return p.How == LocalUser || p.How != "" && slices.Contains(p.Scopes, scope)
}

// same reports whether both are one principal, in one tenant.
func (p Principal) same(q Principal) bool {
	return p.How != "" && p.How == q.How && p.Issuer == q.Issuer && p.Subject == q.Subject && p.Tenant == q.Tenant
}

// localUser is the principal of the command line and of a server over STDIO:
// whoever runs this process. A name that cannot be looked up leaves the user's
// number.
func localUser() Principal {
	uid := fmt.Sprint(os.Getuid())
	p := Principal{Subject: uid, Name: uid, How: LocalUser}
	if u, err := user.Current(); err == nil {
		p.Name = u.Username
	}
	return p
}

// identified is a request with whose it is, and with labels as they may be.
func (g *Gate) identified(req Request) (Request, error) {
	switch {
	case req.Principal.How != "":
	case g.opts.Remote:
		return req, ErrNobody
	default:
		req.Principal = g.local
	}
	return g.labelled(req)
}

// process is this process in records, whoever asks it.
type process struct {
	pid     int
	host    string // "" when it cannot be looked up
	program string
}

func thisProcess(program string) process {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return process{pid: os.Getpid(), host: host, program: program}
}

// caller says in a record who asked, what for, and which process was asked.
func (g *Gate) caller(req Request) audit.Caller {
	c := audit.Caller{
		Host: g.process.host, PID: g.process.pid, Program: g.process.program,
		Tool: req.Tool, Client: req.Client, ClientVersion: req.ClientVersion,
		Session: req.Session, Environment: req.Environment,
	}
	if req.Principal.How != "" {
		who := audit.Principal(req.Principal)
		c.User, c.Principal = req.Principal.ID(), &who
	}
	return c
}
