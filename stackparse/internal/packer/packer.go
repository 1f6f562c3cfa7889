// Package packer knows the builders of Packer: on whose machines each of them makes an image.
package packer

import "strings"

// builders are the beginnings of builders' names, the longest first where one begins another.
var builders = []struct{ begin, provider, service string }{
	{"amazon-", "aws", "ec2"},
	{"googlecompute", "google-cloud", "compute-engine"},
	{"azure-", "azure", "virtual-machines"},
	{"digitalocean", "digitalocean", "droplets"},
	{"hcloud", "hetzner", ""},
	{"linode", "linode", ""},
	{"vultr", "vultr", ""},
	{"scaleway", "scaleway", ""},
	{"oracle-", "oracle-cloud", "compute"},
	{"alicloud-", "alibaba-cloud", ""},
	{"tencentcloud-", "tencent-cloud", ""},
	{"ibmcloud-", "ibm-cloud", ""},
	{"exoscale", "exoscale", ""},
	{"yandex", "yandex-cloud", ""},
	{"upcloud", "upcloud", ""},
	{"huaweicloud", "huawei-cloud", ""},
}

// Builder returns whose machines a builder uses ("amazon-ebs"); provider is "" for those that stay on the team's own.
func Builder(kind string) (provider, service string) {
	for _, b := range builders {
		if strings.HasPrefix(kind, b.begin) {
			return b.provider, b.service
		}
	}
	return "", ""
}

// Places are the settings of builders that say where an image is made, or copied to.
var Places = []string{"region", "location", "zone", "ami_regions", "build_resource_group_location", "image_regions", "snapshot_regions", "replication_regions", "region_id", "server_location", "state_regions"}
