defmodule Lark.MixProject do
  use Mix.Project

  def project do
    [app: :lark, version: "1.4.0", elixir: "~> 1.17", deps: deps()]
  end

  defp deps do
    [
      {:phoenix, "~> 1.7"},
      {:postgrex, ">= 0.0.0"},
      {:ex_aws, "~> 2.5"},
      {:ex_aws_s3, "~> 2.5"},
      {:swoosh, "~> 1.16"},
      {:stripity_stripe, "~> 3.2"},
      {:sentry, "~> 10.6"},
      {:goth, "~> 1.4"},
      {:google_api_translate, "~> 0.21"},
      {:redix, "~> 1.5"},
      {:ueberauth_okta, "~> 1.0"},
      {:excoveralls, "~> 0.18", only: :test}
    ]
  end
end
