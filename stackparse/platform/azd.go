package platform

import (
	"sync"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// azdHosts maps the hosts that azure.yaml of the Azure Developer CLI knows to services.
var azdHosts = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"appservice": "app-service", "containerapp": "container-apps", "function": "functions", "aks": "aks", "staticwebapp": "static-web-apps", "springapp": "spring-apps", "ai.endpoint": "machine-learning",
	}
})

// azd reads which services of Azure the parts of a program are deployed to.
func azd(n *scan.Node, out *stackparse.Result) {
	if n.Get("services") == nil {
		out.Kind = stackparse.Unread // other files are called so, too
		return
	}
	n.Get("services").Each(func(_ string, _ int, s *scan.Node) {
		if h := s.Get("host"); azdHosts()[h.Str()] != "" {
			use(out, "azure", azdHosts()[h.Str()], h.Str(), h.Line)
		}
	})
}
