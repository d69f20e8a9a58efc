// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Benchmarks of the package in the parent directory; not part of its tests.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "RestKit", path: "..",
            traits: ["Macros", "AsyncHTTPClient"]),
        // Without its traits, which count allocations by interposing malloc.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // peers
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(
            name: "BenchmarkInputs",
            dependencies: [.product(name: "Benchmark", package: "benchmark")]),
        .executableTarget(
            name: "ParsingBenchmarks",
            dependencies: [
                "BenchmarkInputs",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "RestDocument", package: "RestKit"),
            ],
            path: "Benchmarks/ParsingBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "MappingBenchmarks",
            dependencies: [
                "BenchmarkInputs",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "RestDocument", package: "RestKit"),
                .product(name: "RestMapping", package: "RestKit"),
            ],
            path: "Benchmarks/MappingBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "CodingBenchmarks",
            dependencies: [
                "BenchmarkInputs",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "RestDocument", package: "RestKit"),
            ],
            path: "Benchmarks/CodingBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "TransportBenchmarks",
            dependencies: [
                "BenchmarkInputs", "LibcurlLoad",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "RestCurl", package: "RestKit"),
                .product(name: "RestDocument", package: "RestKit"),
                .product(name: "RestMapping", package: "RestKit"),
                .product(name: "RestNetworking", package: "RestKit"),
                .product(name: "RestTransport", package: "RestKit"),
                .product(name: "RestURLSession", package: "RestKit"),
            ],
            path: "Benchmarks/TransportBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "PersistenceBenchmarks",
            dependencies: [
                "BenchmarkInputs",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "RestKit", package: "RestKit"),
            ],
            path: "Benchmarks/PersistenceBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        // The program that `scripts/soak` runs.
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "RestAsyncHTTPClient", package: "RestKit"),
                .product(name: "RestKit", package: "RestKit"),
                .product(name: "RestURLSession", package: "RestKit"),
            ],
            path: "Soak"),
        .target(
            name: "LibcurlLoad", path: "Peers/Libcurl", linkerSettings: [.linkedLibrary("curl")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "LibcurlLoad" {
    target.swiftSettings = [
        // Models shared with the tests are conditional on the trait.
        .define("Macros"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
    ]
}
