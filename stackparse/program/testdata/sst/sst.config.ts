/// <reference path="./.sst/platform/config.d.ts" />
export default $config({
  app(input) {
    return {
      name: "kolibri",
      home: "aws",
      providers: {
        aws: { region: "us-east-2", profile: "kolibri" },
        cloudflare: "5.49.0",
        "@pulumi/random": "4.16.0",
        planetscale: { version: "0.2.2" } },
    };
  },
  async run() {
    await import("./infra/storage");
  },
});
