export const db = new neon.Project("Db", { regionId: "aws-ap-southeast-1" });
const drop = new digitalocean.Droplet("web", {
  size: "s-1vcpu-1gb",
  region: "nyc3",
});
const bucket = new sst.aws.Bucket("B");
