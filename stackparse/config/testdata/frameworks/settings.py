# EMAIL_HOST = "smtp.example.net"
EMAIL_HOST = "smtp.eu.mailgun.org"
LOGIN_URL = "/accounts/login/"
HELP_PAGE = "https://help.twilio.com/articles"
