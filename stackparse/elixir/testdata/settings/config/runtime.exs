import Config

# config :ex_aws, region: "us-east-1"
config :ex_aws,
  access_key_id: [{:system, "AWS_ACCESS_KEY_ID"}, :instance_role],
  region: "eu-west-3"

config :lark, Lark.Mailer, adapter: Swoosh.Adapters.Postmark, api_key: System.fetch_env!("POSTMARK_API_KEY")

config :lark, :search, url: System.get_env("SEARCH_URL", "https://lark-dsn.algolia.net")
config :lark, :payments, endpoint: "https://api.stripe.com/v1", secret: "hunter2"

config :ex_aws, :s3,
  scheme: "https://",
  host: "s3.eu-central-003.backblazeb2.com"

config :ex_aws, :sqs, host: "queue.lark.example"
