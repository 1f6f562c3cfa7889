import { Api, Bucket, StackContext } from "sst/constructs";
export function Store({ stack }: StackContext) {
  const files = new Bucket(stack, "files");
  new Api(stack, "api", { routes: {} });
  new Table(stack, "of another kit");
}
