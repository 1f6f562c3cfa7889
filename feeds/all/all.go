// Package all lists the adapters of every status platform that Downwind reads. The order decides ties: particular
// platforms first, syndication last.
package all

import (
	"downwind/feeds"
	"downwind/feeds/aws"
	"downwind/feeds/azure"
	"downwind/feeds/azuredevops"
	"downwind/feeds/betterstack"
	"downwind/feeds/cachet"
	"downwind/feeds/cstate"
	"downwind/feeds/gcloud"
	"downwind/feeds/heroku"
	"downwind/feeds/ibm"
	"downwind/feeds/incidentio"
	"downwind/feeds/instatus"
	"downwind/feeds/oci"
	"downwind/feeds/openstatus"
	"downwind/feeds/pagerduty"
	"downwind/feeds/rootly"
	"downwind/feeds/salesforce"
	"downwind/feeds/slackstatus"
	"downwind/feeds/sorry"
	"downwind/feeds/statuscast"
	"downwind/feeds/statusio"
	"downwind/feeds/statuspage"
	"downwind/feeds/statuspal"
	"downwind/feeds/stripe"
	"downwind/feeds/syndication"
	"downwind/feeds/upptime"
	"downwind/feeds/uptimekuma"
	"downwind/feeds/zendesk"
)

// Adapters returns all adapters; the slice is the caller's.
func Adapters() []feeds.Adapter {
	return []feeds.Adapter{
		statuspage.Adapter{},
		incidentio.Adapter{},
		aws.Adapter{},
		heroku.Adapter{},
		slackstatus.Adapter{},
		salesforce.Adapter{},
		oci.Adapter{},
		ibm.Adapter{},
		pagerduty.Adapter{},
		azure.Adapter{},
		azuredevops.Adapter{},
		stripe.Adapter{},
		zendesk.Adapter{},
		gcloud.Adapter{Word: gcloud.Cloud},
		gcloud.Adapter{Word: gcloud.Workspace},
		instatus.Adapter{},
		betterstack.Adapter{},
		statusio.Adapter{},
		statuscast.Adapter{},
		statuspal.Adapter{},
		sorry.Adapter{},
		cstate.Adapter{},
		uptimekuma.Adapter{},
		upptime.Adapter{},
		cachet.Adapter{},
		rootly.Adapter{},
		openstatus.Adapter{},
		syndication.Adapter{},
	}
}
