import Config

if config_env() == :prod do
  config :lark, Lark.Repo, url: System.fetch_env!("DATABASE_URL")
  config :ex_aws, region: "eu-west-3"
  config :lark, Lark.Mailer, adapter: Swoosh.Adapters.Postmark, api_key: System.fetch_env!("POSTMARK_API_KEY")
  config :sentry, dsn: System.fetch_env!("SENTRY_DSN")
end
