let package = Package(dependencies: [
  .package(url: "https://github.com/stripe/stripe-ios", from: "23.0.0"),
  // .package(url: "https://github.com/getsentry/sentry-cocoa", from: "8.0.0"),
])
