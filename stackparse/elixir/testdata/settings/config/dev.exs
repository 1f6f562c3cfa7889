config :lark, :payments, endpoint: "https://api.stripe.com/v1"
