package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sallyport/internal/hint"
)

// Between what we ask for and what a node runs are a cluster's webhooks and
// policies, which may add a container, a token, a capability. So a pod is believed
// what the API server made of it, and one that is more than was asked for is
// refused.

// added are the fields that clusters add to a pod which loosen nothing: where it
// runs, as whom it pulls images, and what a RuntimeClass brings along.
var added = [...]string{
	"spec.affinity", "spec.imagePullSecrets", "spec.nodeName", "spec.nodeSelector", "spec.overhead", "spec.preemptionPolicy", "spec.priority",
	"spec.priorityClassName", "spec.schedulerName", "spec.schedulingGates", "spec.serviceAccount", "spec.serviceAccountName", "spec.tolerations", "spec.topologySpreadConstraints",
	"spec.securityContext.seLinuxOptions", "spec.containers[0].securityContext.seLinuxOptions",
	"spec.containers[0].terminationMessagePolicy",
}

// settled are those whose values are the cluster's: it writes quantities its own
// way, may ask for more, and may have every image looked up again.
var settled = [...]string{"spec.containers[0].imagePullPolicy", "spec.containers[0].resources", "spec.volumes[0].emptyDir.sizeLimit", "spec.volumes[1].emptyDir.sizeLimit", "spec.volumes[2].emptyDir.sizeLimit"}

// unaltered is nil where the API server made the pod that was asked for.
func unaltered(asked, got object) error {
	text, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	var want object
	if err := json.Unmarshal(text, &want); err != nil {
		return err
	}
	at := difference("spec", want["spec"], got["spec"])
	if at == "" && owner(got) != owner(want) {
		at = "metadata.labels"
	}
	if at == "" {
		return nil
	}
	return hint.New(nil, "exempt the namespace from the webhooks and policies that change pods (a service mesh, an injector)", "the cluster changed the pod of a run: %s is not what was asked for", at)
}

// owner is whose a pod is by its label, which the one that removes it looks for.
func owner(pod object) any {
	metadata, _ := pod["metadata"].(object)
	labels, _ := metadata["labels"].(object)
	return labels[labelOwner]
}

// difference is the path of the first field that differs, "" where none does.
func difference(path string, want, got any) string {
	if slices.Contains(settled[:], path) && got != nil {
		return ""
	}
	switch want := want.(type) {
	case object:
		got, _ := got.(object) // nil: nothing of it is there
		for _, key := range slices.Sorted(maps.Keys(got)) {
			if _, asked := want[key]; !asked && !slices.Contains(added[:], path+"."+key) {
				return path + "." + key
			}
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if at := difference(path+"."+key, want[key], got[key]); at != "" {
				return at
			}
		}
		return ""
	case []any:
		got, _ := got.([]any)
		if len(got) != len(want) {
			return path
		}
		for i := range want {
			if at := difference(fmt.Sprintf("%s[%d]", path, i), want[i], got[i]); at != "" {
				return at
			}
		}
		return ""
	default:
		// What is false or empty is left out.
		if want == got || got == nil && (want == false || want == "") {
			return ""
		}
		return path
	}
}
