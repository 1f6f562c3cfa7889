defmodule X.MixProject do
  def project, do: [app: :x, deps: deps()]
  defp deps do
    [
      {:sentry, "~> 10.0"},
      {:ex_aws_s3, "~> 2.0", only: [:dev, :test]},
      {:core, in_umbrella: true},
      # {:stripity_stripe, "~> 3.0"}
      {:goth, git: "https://github.com/acme/goth"}
    ]
  end
end
