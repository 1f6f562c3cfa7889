Rails.application.configure do
  # config.action_mailer.smtp_settings = { address: "smtp.mailgun.org" }
  config.action_mailer.smtp_settings = { address: "smtp.sendgrid.net", port: 587, user_name: "apikey" }
  config.asset_host = "https://d111111abcdef8.cloudfront.net"
  config.action_mailer.ses_v2_settings = { region: "eu-west-1" }
end
