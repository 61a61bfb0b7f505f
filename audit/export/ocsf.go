package export

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"sallyport/audit"
)

// ocsfVersion is the published schema that the events follow. A denial and a
// question are a Detection Finding (2004) of the security_control profile, a
// request of a program that was refused or has been answered is HTTP Activity
// (4002), everything else is API Activity (6003).
const ocsfVersion = "1.2.0"

type ocsfBase struct {
	CategoryUID  int            `json:"category_uid"`
	ClassUID     int            `json:"class_uid"`
	ClassName    string         `json:"class_name"`
	ActivityID   int            `json:"activity_id"`
	ActivityName string         `json:"activity_name"`
	TypeUID      int            `json:"type_uid"`
	SeverityID   int            `json:"severity_id"`
	Time         int64          `json:"time"`
	Message      string         `json:"message"`
	Duration     int64          `json:"duration,omitempty"` // milliseconds
	Metadata     ocsfMetadata   `json:"metadata"`
	Unmapped     map[string]any `json:"unmapped,omitempty"`
}

type ocsfMetadata struct {
	Version        string      `json:"version"`
	Product        ocsfProduct `json:"product"`
	Profiles       []string    `json:"profiles,omitempty"`
	UID            string      `json:"uid"`
	CorrelationUID string      `json:"correlation_uid"`
	EventCode      string      `json:"event_code"`
	LogName        string      `json:"log_name"`
	Sequence       uint64      `json:"sequence"`
	OriginalTime   string      `json:"original_time"`
	Labels         []string    `json:"labels,omitempty"` // KEY=VALUE
}

type ocsfProduct struct {
	Name    string `json:"name"`
	Vendor  string `json:"vendor_name"`
	Version string `json:"version"`
}

type ocsfActor struct {
	AppName string      `json:"app_name"`
	User    *ocsfNamed  `json:"user,omitempty"`
	Session *ocsfUnique `json:"session,omitempty"`
}

type ocsfNamed struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type ocsfUnique struct {
	UID string `json:"uid"`
}

type ocsfFinding struct {
	ocsfBase
	ActionID      int            `json:"action_id"`
	DispositionID int            `json:"disposition_id"`
	StatusID      int            `json:"status_id"`
	StatusCode    string         `json:"status_code"`
	FindingInfo   ocsfInfo       `json:"finding_info"`
	Evidences     []ocsfEvidence `json:"evidences"`
}

type ocsfInfo struct {
	UID   string   `json:"uid"`
	Title string   `json:"title"`
	Desc  string   `json:"desc,omitempty"`
	Types []string `json:"types,omitempty"`
}

type ocsfEvidence struct {
	Actor       ocsfActor    `json:"actor"`
	API         ocsfAPI      `json:"api"`
	SrcEndpoint ocsfEndpoint `json:"src_endpoint"`
}

type ocsfAPI struct {
	Operation string    `json:"operation"`
	Service   ocsfNamed `json:"service"`
}

type ocsfEndpoint struct {
	Name string `json:"name"`
}

type ocsfActivity struct {
	ocsfBase
	StatusID    int          `json:"status_id"`
	StatusCode  string       `json:"status_code,omitempty"`
	Actor       ocsfActor    `json:"actor"`
	API         ocsfAPI      `json:"api"`
	SrcEndpoint ocsfEndpoint `json:"src_endpoint"`
}

type ocsfHTTP struct {
	ocsfBase
	ActionID      int          `json:"action_id"`
	DispositionID int          `json:"disposition_id"`
	StatusID      int          `json:"status_id"`
	StatusCode    string       `json:"status_code"`
	StatusDetail  string       `json:"status_detail,omitempty"`
	Actor         ocsfActor    `json:"actor"`
	SrcEndpoint   ocsfEndpoint `json:"src_endpoint"`
	DstEndpoint   ocsfHost     `json:"dst_endpoint"`
	Request       ocsfRequest  `json:"http_request"`
	Response      ocsfResponse `json:"http_response"`
	Traffic       *ocsfTraffic `json:"traffic,omitempty"`
}

type ocsfHost struct {
	Hostname string `json:"hostname"`
	IP       string `json:"ip,omitempty"`
	Port     int    `json:"port"`
}

type ocsfRequest struct {
	Method string  `json:"http_method"`
	URL    ocsfURL `json:"url"`
}

type ocsfURL struct {
	Scheme   string `json:"scheme"`
	Hostname string `json:"hostname"`
	Port     int    `json:"port"`
	Path     string `json:"path"`
	Text     string `json:"url_string"`
}

type ocsfResponse struct {
	Code int `json:"code"`
}

type ocsfTraffic struct {
	In  int64 `json:"bytes_in"` // to the program
	Out int64 `json:"bytes_out"`
}

func ocsfEvent(rec audit.Record) any {
	if x := rec.Egress; x != nil && x.Host != "" && x.Method != "" && (rec.Event == audit.EventEgressEnd || !x.Allowed) {
		return ocsfExchange(rec, *x)
	}
	if rec.Event == audit.EventDecision && rec.Verdict != nil && rec.Verdict.Effect != "allow" {
		return ocsfDenial(rec)
	}
	const success, failure = 1, 2
	e := ocsfActivity{ocsfBase: ocsfCommon(rec, 6, 3, "API Activity", 99, string(rec.Event)), StatusID: success}
	evidence := ocsfWho(rec)
	e.Actor, e.API, e.SrcEndpoint = evidence.Actor, evidence.API, evidence.SrcEndpoint
	switch {
	case rec.Verdict != nil:
		e.StatusCode = rec.Verdict.Reason
		e.Duration = rec.Verdict.Micros / 1000
	case rec.Run != nil:
		e.StatusCode = rec.Run.Reason
		e.Duration = rec.Run.WallMicros / 1000
		if !rec.Run.Exited() || rec.Run.Exit != 0 {
			e.StatusID = failure
		}
	}
	switch {
	case rec.Event == audit.EventApproval:
		e.StatusCode = rec.Answer
	case rec.InForce != nil:
		e.StatusCode, e.Unmapped["in_force"] = rec.InForce.How, rec.InForce
		if rec.InForce.How == audit.InForceRefused {
			e.StatusID = failure
		}
	}
	return e
}

// ocsfMethods are the activities of HTTP Activity.
var ocsfMethods = []string{"", "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "TRACE"}

func ocsfExchange(rec audit.Record, x audit.Egress) any {
	const allowed, denied, blocked, success, failure, other = 1, 2, 2, 1, 2, 99
	activity := slices.Index(ocsfMethods, x.Method)
	if activity < 1 {
		activity = other
	}
	who := ocsfWho(rec)
	e := ocsfHTTP{
		ocsfBase: ocsfCommon(rec, 4, 2, "HTTP Activity", activity, x.Method),
		ActionID: allowed, DispositionID: allowed, StatusID: success,
		StatusCode: strconv.Itoa(x.Status), StatusDetail: x.Reason + x.Error,
		Actor: who.Actor, SrcEndpoint: who.SrcEndpoint,
		DstEndpoint: ocsfHost{Hostname: x.Host, Port: x.Port},
		Request:     ocsfRequest{x.Method, ocsfURL{x.Scheme, x.Host, x.Port, x.Path, x.URL()}},
		Response:    ocsfResponse{x.Status},
	}
	e.Metadata.Profiles = []string{"host", "security_control"}
	switch {
	case rec.Event == audit.EventEgress:
		e.ActionID, e.DispositionID, e.StatusID = denied, blocked, failure
	default:
		e.Duration = x.Micros / 1000
		e.Traffic = &ocsfTraffic{In: x.ReceivedBytes, Out: x.SentBytes}
		if to, err := netip.ParseAddrPort(x.Address); err == nil {
			e.DstEndpoint.IP = to.Addr().String()
		}
		if x.Error != "" {
			e.StatusID = failure
		}
	}
	return e
}

func ocsfDenial(rec audit.Record) any {
	const created, denied, blocked, challenge, isNew = 1, 2, 2, 23, 1
	e := ocsfFinding{
		ocsfBase: ocsfCommon(rec, 2, 4, "Detection Finding", created, "Create"),
		ActionID: denied, DispositionID: blocked, StatusID: isNew,
		StatusCode:  rec.Verdict.Reason,
		FindingInfo: ocsfInfo{UID: rec.ID, Title: summary(rec), Desc: rec.Verdict.Detail},
		Evidences:   []ocsfEvidence{ocsfWho(rec)},
	}
	if rec.Verdict.Effect == "ask" {
		e.ActionID, e.DispositionID = 99, challenge
	}
	e.Metadata.Profiles = []string{"security_control"}
	e.Duration = rec.Verdict.Micros / 1000
	for _, f := range rec.Verdict.Findings {
		e.FindingInfo.Types = append(e.FindingInfo.Types, f.Rule)
		e.SeverityID = max(e.SeverityID, ocsfSeverity(f.Severity))
	}
	return e
}

func ocsfSeverity(s string) int {
	switch s {
	case "low":
		return 2
	case "medium":
		return 3
	case "high":
		return 4
	case "critical":
		return 5
	}
	return 1 // informational
}

func ocsfCommon(rec audit.Record, category, class int, className string, activity int, activityName string) ocsfBase {
	classUID := category*1000 + class
	b := ocsfBase{
		CategoryUID: category, ClassUID: classUID, ClassName: className,
		ActivityID: activity, ActivityName: activityName, TypeUID: classUID*100 + activity,
		SeverityID: 1,
		Time:       rec.Time.UnixMilli(),
		Message:    summary(rec),
		Metadata: ocsfMetadata{
			Version: ocsfVersion,
			Product: ocsfProduct{Name: "sallyport", Vendor: "sallyport", Version: version(rec)},
			UID:     rec.ID, CorrelationUID: cmp.Or(rec.Decision, rec.ID),
			EventCode: string(rec.Event), LogName: "sallyport audit", Sequence: rec.Seq,
			OriginalTime: rec.Time.Format(time.RFC3339Nano),
			Labels:       rec.Caller.LabelList(),
		},
		Unmapped: map[string]any{"hash": rec.Hash, "prev": rec.Prev},
	}
	if rec.Source != nil {
		b.Unmapped["source"] = rec.Source
	}
	if rec.Verdict != nil {
		b.Unmapped["verdict"] = rec.Verdict
	}
	if rec.Run != nil {
		b.Unmapped["run"] = rec.Run
	}
	if rec.Egress != nil {
		b.Unmapped["egress"] = rec.Egress
	}
	if len(rec.Masked) > 0 {
		b.Unmapped["masked"] = rec.Masked
	}
	return b
}

func ocsfWho(rec audit.Record) ocsfEvidence {
	c := rec.Caller
	who := ocsfEvidence{
		Actor:       ocsfActor{AppName: cmp.Or(c.Client, "sallyport")},
		API:         ocsfAPI{Operation: cmp.Or(c.Tool, fmt.Sprintf("audit.%s", rec.Event)), Service: ocsfNamed{Name: "sallyport", Version: version(rec)}},
		SrcEndpoint: ocsfEndpoint{Name: cmp.Or(c.Host, "localhost")},
	}
	if c.User != "" {
		who.Actor.User = &ocsfNamed{Name: c.User}
	}
	if c.Session != "" {
		who.Actor.Session = &ocsfUnique{UID: c.Session}
	}
	return who
}
