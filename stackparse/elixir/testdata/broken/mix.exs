defp deps do
 [{:sentry, "~> 10
 {:goth
