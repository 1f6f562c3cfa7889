package kubernetes

import (
	"strings"
	"sync"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// exporters maps those of OpenTelemetry's collector to where they send, by what their names begin with up to a slash.
var exporters = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"awsxray": {"aws", "x-ray"}, "awsemf": {"aws", "cloudwatch"}, "awscloudwatchlogs": {"aws", "cloudwatch"}, "awskinesis": {"aws", "kinesis"}, "awss3": {"aws", "s3"},
		"googlecloud": {"google-cloud", "monitoring"}, "googlemanagedprometheus": {"google-cloud", "monitoring"}, "azuremonitor": {"azure", "application-insights"}, "azuredataexplorer": {"azure", "data-explorer"},
		"datadog": {"datadog", ""}, "sentry": {"sentry", ""}, "logzio": {"logz-io", ""}, "coralogix": {"coralogix", ""}, "signalfx": {"splunk", ""}, "splunk_hec": {"splunk", ""}, "sumologic": {"sumologic", ""}, "logicmonitor": {"logicmonitor", ""}, "honeycombmarker": {"honeycomb", ""}, "mezmo": {"mezmo", ""},
	}
})

// collector reads where OpenTelemetry's collector sends to.
func collector(n *scan.Node, out *stackparse.Result) bool {
	all := n.Get("exporters")
	if all == nil || all.Kind != scan.Map || n.Get("service", "pipelines") == nil {
		return false
	}
	all.Each(func(k string, line int, v *scan.Node) {
		name, _, _ := strings.Cut(k, "/")
		p, known := exporters()[name]
		if known {
			f := stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: k, Line: line}
			if r := v.Get("region").Str(); r != "" {
				f.Regions = []string{r}
			}
			out.Add(f)
		}
		v.WalkMaps(func(m *scan.Node) {
			m.Each(func(key string, _ int, x *scan.Node) {
				if x.Kind == scan.String {
					out.Setting(stackparse.Setting{Name: key, Value: x.Str(), Line: x.Line, Deep: true})
				}
			})
		})
	})
	return true
}

// stores that Thanos and its like keep their blocks in.
var blockStores = sync.OnceValue(func() map[string]product {
	return map[string]product{"S3": {"aws", "s3"}, "GCS": {"google-cloud", "cloud-storage"}, "AZURE": {"azure", "blob-storage"}}
})

// objectStore reads the store of Thanos: a store by another address is the one that the address names.
func objectStore(n *scan.Node, out *stackparse.Result) bool {
	t, at := n.Get("type"), n.Get("config")
	p, ok := blockStores()[t.Str()]
	if !ok || at.Get("bucket") == nil && at.Get("container") == nil {
		return false
	}
	if e := at.Get("endpoint"); e != nil {
		out.Value(stackparse.Setting{Name: "endpoint", Line: e.Line, Deep: true}, "https://"+strings.TrimPrefix(e.Str(), "https://"), stackparse.Firm)
		return true
	}
	f := stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: t.Str(), Line: t.Line}
	if r := at.Get("region").Str(); r != "" {
		f.Regions = []string{r}
	}
	out.Add(f)
	return true
}

// bucket reads the store that a chart's values choose, as Loki's and Tempo's do: "storage: {type: s3, s3: {region: …}}".
func bucket(storage *scan.Node, out *stackparse.Result) {
	t := storage.Get("type")
	p, ok := blockStores()[strings.ToUpper(t.Str())]
	at := storage.Get(t.Str())
	if !ok || at.Get("endpoint") != nil {
		return
	}
	f := stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: t.Str(), Line: t.Line}
	if r := at.Get("region").Str(); r != "" {
		f.Regions = []string{r}
	}
	out.Add(f)
}
