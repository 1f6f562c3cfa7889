// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "WrenKit",
    dependencies: [
        .package(url: "https://github.com/auth0/Auth0.swift", from: "2.7.0"),
        .package(url: "https://github.com/PostHog/posthog-ios.git", from: "3.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.5.0"),
    ]
)
