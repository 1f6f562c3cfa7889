libraryDependencies += "com.stripe" % "stripe-java" % "25.0.0"
libraryDependencies += "com.twilio.sdk" %% "twilio" % v % Test
// "com.sendgrid" % "x" % "1"
