// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// Two small programs: scripts/instructions counts the instructions of one, and scripts/program-size the
// bytes of the other. They depend on as little as they can, so that an optimized build takes seconds.
let package = Package(
    name: "Measurements",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "RestKit", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Workloads",
            dependencies: [
                .product(name: "RestDocument", package: "RestKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "RestMapping", package: "RestKit"),
                .product(name: "RestNetworking", package: "RestKit"),
                .product(name: "RestPersistence", package: "RestKit"),
                .product(name: "RestTransport", package: "RestKit"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "HelloWorld",
            dependencies: [
                .product(name: "RestDocument", package: "RestKit"),
                .product(name: "RestMapping", package: "RestKit"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
