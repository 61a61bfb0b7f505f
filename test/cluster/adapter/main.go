// Command adapter serves the custom metrics API of Kubernetes, by the library that
// its adapters are made with, from what pods say themselves: a metric of a pod is
// the gauge of that name at /metrics of its port "health".
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/metrics/pkg/apis/custom_metrics"
	"sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"
	"sigs.k8s.io/custom-metrics-apiserver/pkg/provider"
)

var served = []string{"sallyport_queue_waiting", "sallyport_queue_running"}

type pods struct{ client kubernetes.Interface }

func (p pods) ListAllMetrics() []provider.CustomMetricInfo {
	var all []provider.CustomMetricInfo
	for _, name := range served {
		all = append(all, provider.CustomMetricInfo{GroupResource: schema.GroupResource{Resource: "pods"}, Namespaced: true, Metric: name})
	}
	return all
}

func (p pods) GetMetricByName(ctx context.Context, name types.NamespacedName, info provider.CustomMetricInfo, _ labels.Selector) (*custom_metrics.MetricValue, error) {
	pod, err := p.client.CoreV1().Pods(name.Namespace).Get(ctx, name.Name, meta.GetOptions{})
	if err != nil {
		return nil, err
	}
	return value(ctx, pod, info)
}

// GetMetricBySelector leaves out pods that say nothing: for the autoscaler they
// are not ready yet.
func (p pods) GetMetricBySelector(ctx context.Context, namespace string, selector labels.Selector, info provider.CustomMetricInfo, _ labels.Selector) (*custom_metrics.MetricValueList, error) {
	list, err := p.client.CoreV1().Pods(namespace).List(ctx, meta.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return nil, err
	}
	var values custom_metrics.MetricValueList
	for i := range list.Items {
		v, err := value(ctx, &list.Items[i], info)
		if err != nil {
			fmt.Fprintln(os.Stderr, "adapter:", err)
			continue
		}
		values.Items = append(values.Items, *v)
	}
	return &values, nil
}

func value(ctx context.Context, pod *core.Pod, info provider.CustomMetricInfo) (*custom_metrics.MetricValue, error) {
	none := func(err error) (*custom_metrics.MetricValue, error) {
		return nil, fmt.Errorf("%w: %v", apierrors.NewNotFound(info.GroupResource, pod.Name+" "+info.Metric), err)
	}
	families, err := scrape(ctx, pod)
	if err != nil {
		return none(err)
	}
	family := families[info.Metric]
	if family == nil {
		return none(errors.New("it does not say"))
	}
	var sum float64 // of every queue and tenant
	for _, m := range family.Metric {
		sum += m.GetGauge().GetValue()
	}
	return &custom_metrics.MetricValue{
		DescribedObject: custom_metrics.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name},
		Metric:          custom_metrics.MetricIdentifier{Name: info.Metric},
		Timestamp:       meta.Now(),
		Value:           *resource.NewMilliQuantity(int64(sum*1000), resource.DecimalSI),
	}, nil
}

func scrape(ctx context.Context, pod *core.Pod) (map[string]*dto.MetricFamily, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, c := range pod.Spec.Containers {
		for _, port := range c.Ports {
			if port.Name != "health" {
				continue
			}
			url := "http://" + net.JoinHostPort(pod.Status.PodIP, fmt.Sprint(port.ContainerPort)) + "/metrics"
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err != nil {
				return nil, err
			}
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				return nil, err
			}
			defer a.Body.Close()
			if a.StatusCode != http.StatusOK {
				return nil, errors.New(a.Status)
			}
			parser := expfmt.NewTextParser(model.UTF8Validation)
			return parser.TextToMetricFamilies(a.Body)
		}
	}
	return nil, errors.New(`it has no port "health"`)
}

func run() error {
	var adapter cmd.AdapterBase
	adapter.Name = "adapter"
	if err := adapter.Flags().Parse(os.Args); err != nil {
		return err
	}
	config, err := adapter.ClientConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	adapter.WithCustomMetrics(pods{client})
	return adapter.Run(context.Background())
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "adapter:", err)
		os.Exit(1)
	}
}
