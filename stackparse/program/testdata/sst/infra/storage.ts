export const uploads = new sst.aws.Bucket("Uploads");
export const sessions = new sst.aws.Dynamo("Sessions", { fields: { pk: "string" } });
new sst.aws.Nextjs("Web", { domain: { name: "www.kolibri.example", dns: sst.cloudflare.dns() } });
new sst.aws.Unheard("Of");
const zone = cloudflare.getZoneOutput({ filter: { name: "kolibri.example" } });
