plugins {
    alias(libs.plugins.sentry)
    id("com.google.gms.google-services") version "4.4.0"
}
val braintree = "3.31.0"
dependencies {
    implementation(libs.bundles.cloud)
    api(libs.stripe)
    implementation("com.braintreepayments.gateway:braintree-java:$braintree")
    implementation(group = "com.sendgrid", name = "sendgrid-java", version = "4.10.2")
    // implementation("com.mailjet:mailjet-client:5.2.5")
    /* implementation("com.postmarkapp:postmark:1.0")
    */
    testImplementation("com.twilio.sdk:twilio:10.0.0")
    constraints { implementation("com.pusher:pusher-http-java:1.3.0") }
}
