// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "RestKit",
    platforms: [
        .macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
    ],
    products: [
        .library(name: "RestKit", targets: ["RestKit"]),
        .library(name: "RestDocument", targets: ["RestDocument"]),
        .library(name: "RestMapping", targets: ["RestMapping"]),
        .library(name: "RestXML", targets: ["RestXML"]),
        .library(name: "RestTransport", targets: ["RestTransport"]),
        .library(name: "RestCurl", targets: ["RestCurl"]),
        .library(name: "RestURLSession", targets: ["RestURLSession"]),
        .library(name: "RestAsyncHTTPClient", targets: ["RestAsyncHTTPClient"]),
        .library(name: "RestNetworking", targets: ["RestNetworking"]),
        .library(name: "RestPersistence", targets: ["RestPersistence"]),
        .library(name: "RestSearch", targets: ["RestSearch"]),
        .library(name: "RestDefinition", targets: ["RestDefinition"]),
        .library(name: "RestYAML", targets: ["RestYAML"]),
        .library(name: "RestInference", targets: ["RestInference"]),
        .library(name: "RestMirror", targets: ["RestMirror"]),
        .library(name: "RestTesting", targets: ["RestTesting"]),
        .library(name: "RestOfflineTesting", targets: ["RestOfflineTesting"]),
        .executable(name: "rest", targets: ["RestTool"]),
        .executable(name: "rest-demo", targets: ["DemonstrationTool"]),
    ],
    traits: [
        .trait(
            name: "Macros", description: "The @Mapped and @Entity macros (fetches swift-syntax)."),
        .trait(
            name: "AsyncHTTPClient",
            description: "The transport over AsyncHTTPClient (fetches it and SwiftNIO)."),
        .trait(name: "Metrics", description: "MetricsInterceptor (fetches swift-metrics)."),
        .trait(
            name: "Tracing",
            description: "TracingInterceptor (fetches swift-distributed-tracing)."),
        .default(enabledTraits: ["Macros"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.40.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // the syntax that documents and transports share: dates, percent-encoding, ASCII
        .target(name: "RestSyntax"),

        // bytes <-> documents
        .target(name: "RestDocument", dependencies: ["RestSyntax"]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .target(name: "RestXML", dependencies: ["RestDocument", "CLibXML2"]),

        // documents <-> objects
        .target(
            name: "RestMapping",
            dependencies: [
                "RestSyntax", "RestDocument",
                .target(name: "RestMacros", condition: .when(traits: ["Macros"])),
            ]),
        // The tests use the expansion as a library: a test that links the plug-in is built for the
        // host, and with it a second copy of every target that a test imports.
        .target(
            name: "RestMacroExpansion",
            dependencies: [
                .product(
                    name: "SwiftDiagnostics", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntax", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxBuilder", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxMacros", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
            ]),
        .macro(
            name: "RestMacros",
            dependencies: [
                "RestMacroExpansion",
                .product(
                    name: "SwiftCompilerPlugin", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxMacros", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
            ]),

        // requests <-> responses, as bytes
        .target(
            name: "RestTransport",
            dependencies: [
                "RestSyntax",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "Metrics", package: "swift-metrics",
                    condition: .when(traits: ["Metrics"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "RestCompression", dependencies: ["RestTransport", "CZlib"]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .target(
            name: "RestCurl",
            dependencies: [
                "RestTransport", "RestCompression", "CCurl",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .target(
            name: "RestURLSession",
            dependencies: [
                "RestTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .target(
            name: "RestAsyncHTTPClient",
            dependencies: [
                "RestTransport",
                .target(name: "RestCompression", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "NIOCore", package: "swift-nio",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "NIOHTTP1", package: "swift-nio",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "NIOHTTP2", package: "swift-nio-http2",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "NIOPosix", package: "swift-nio",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "NIOSSL", package: "swift-nio-ssl",
                    condition: .when(traits: ["AsyncHTTPClient"])),
            ]),

        // descriptors, routes, the object manager
        .target(
            name: "RestNetworking",
            dependencies: [
                "RestSyntax", "RestDocument", "RestMapping", "RestTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // rows in SQLite, and managed objects above them
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "RestRows",
            dependencies: [
                "RestSyntax", "RestDocument", "RestMapping", "RestSearch", "CSQLite",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(
            name: "RestPersistence",
            dependencies: [
                "RestDocument", "RestMapping", "RestRows", "RestSearch",
                .product(name: "GRDB", package: "GRDB.swift"),
                .target(name: "RestMacros", condition: .when(traits: ["Macros"])),
            ]),
        .target(
            name: "RestSync",
            dependencies: [
                "RestDocument", "RestMapping", "RestTransport", "RestNetworking", "RestPersistence",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),

        // the order, the growth and the outcome of unsent edits
        .target(
            name: "RestOutbox",
            dependencies: ["RestDocument", "RestTransport", "RestNetworking", "RestRows"]),

        // the outbox in a store's file, and its sender
        .target(
            name: "RestOffline",
            dependencies: [
                "RestDocument", "RestMapping", "RestTransport", "RestNetworking", "RestRows",
                "RestPersistence", "RestSync", "RestOutbox",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),

        // text as search terms
        .target(name: "RestSearch"),

        // definitions of APIs
        .target(name: "RestDefinition", dependencies: ["RestDocument"]),
        .target(
            name: "RestYAML",
            dependencies: ["RestDefinition", .product(name: "Yams", package: "Yams")]),

        // what responses say about an API
        .target(name: "RestInference", dependencies: ["RestDocument", "RestDefinition"]),

        // definitions, run against a store
        .target(
            name: "RestMirror",
            dependencies: [
                "RestSyntax", "RestDocument", "RestMapping", "RestTransport", "RestCompression",
                "RestNetworking",
                "RestRows", "RestPersistence", "RestDefinition", "RestInference",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),

        // the umbrella
        .target(
            name: "RestKit",
            dependencies: [
                "RestDocument", "RestMapping", "RestTransport", "RestNetworking", "RestPersistence",
                "RestSync", "RestOffline",
                .target(name: "RestCurl", condition: .when(platforms: [.linux])),
                .target(
                    name: "RestURLSession",
                    condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),

        // support for tests of mappings and clients
        .target(
            name: "RestTesting",
            dependencies: [
                "RestDocument", "RestMapping", "RestTransport", "RestPersistence",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // simulations of programs that edit offline
        .target(
            name: "RestOfflineTesting",
            dependencies: [
                "RestDocument", "RestTransport", "RestNetworking", "RestRows", "RestPersistence",
                "RestSync", "RestOutbox", "RestOffline", "RestTesting",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),

        // the command-line tool; a library target, which tests import
        .target(
            name: "RestCommands",
            dependencies: [
                "RestKit", "RestXML", "RestDefinition", "RestInference", "RestYAML", "RestMirror",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(name: "RestTool", dependencies: ["RestCommands"]),

        // the demonstration with its server
        .target(
            name: "Demonstration",
            dependencies: [
                "RestKit", "RestCommands", "RestInference", "RestMirror",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            path: "Examples/Demonstration"),
        .executableTarget(
            name: "DemonstrationTool", dependencies: ["Demonstration"],
            path: "Examples/DemonstrationTool"),

        // tests
        .target(
            name: "TestSupport",
            dependencies: [
                "RestDocument", "RestTesting", "RestTransport", "RestCurl", "RestURLSession",
                .target(
                    name: "RestAsyncHTTPClient", condition: .when(traits: ["AsyncHTTPClient"])),
            ],
            path: "Tests/TestSupport"),
        .testTarget(name: "RestSyntaxTests", dependencies: ["RestSyntax", "TestSupport"]),
        .testTarget(
            name: "RestDocumentTests",
            dependencies: ["RestSyntax", "RestDocument", "RestTesting", "TestSupport"]),
        .testTarget(
            name: "RestXMLTests",
            dependencies: ["RestDocument", "RestXML", "TestSupport"]),
        .testTarget(
            name: "RestMappingTests",
            dependencies: ["RestDocument", "RestMapping", "TestSupport"]),
        .testTarget(
            name: "RestTestingTests",
            dependencies: [
                "RestDocument", "RestMapping", "RestTransport", "RestPersistence", "RestTesting",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "RestMacroExpansionTests",
            dependencies: [
                "RestDocument", "RestMapping", "RestPersistence", "RestMacroExpansion",
                "TestSupport",
                .product(
                    name: "SwiftSyntaxMacros", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxBuilder", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxMacroExpansion", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
            ]),
        .testTarget(
            name: "RestTransportTests",
            dependencies: [
                "RestSyntax", "RestTransport", "RestCurl", "RestURLSession", "RestTesting",
                "TestSupport",
                .target(
                    name: "RestAsyncHTTPClient", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "MetricsTestKit", package: "swift-metrics",
                    condition: .when(traits: ["Metrics"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        .testTarget(
            name: "RestCompressionTests",
            dependencies: ["RestCompression", "RestTransport", "RestTesting", "TestSupport"]),
        .testTarget(
            name: "RestCurlTests",
            dependencies: [
                "RestTransport", "RestCurl", "RestTesting", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .testTarget(
            name: "RestURLSessionTests",
            dependencies: ["RestTransport", "RestURLSession", "RestTesting", "TestSupport"]),
        .testTarget(
            name: "RestAsyncHTTPClientTests",
            dependencies: [
                "RestTransport", "RestTesting", "TestSupport",
                .target(
                    name: "RestAsyncHTTPClient", condition: .when(traits: ["AsyncHTTPClient"])),
            ]),
        .testTarget(
            name: "RestNetworkingTests",
            dependencies: [
                "RestDocument", "RestMapping", "RestTransport", "RestNetworking", "RestCurl",
                "RestTesting", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "RestPersistenceTests",
            dependencies: [
                "RestDocument", "RestMapping", "RestRows", "RestPersistence", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "RestRowsTests",
            dependencies: [
                "RestDocument", "RestRows", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "RestOutboxTests",
            dependencies: [
                "RestDocument", "RestTransport", "RestNetworking", "RestRows", "RestOutbox",
                "RestTesting", "TestSupport",
            ]),
        .testTarget(
            name: "RestOfflineTests",
            dependencies: [
                "RestKit", "RestOffline", "RestOfflineTesting", "RestOutbox", "RestTesting",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "RestSearchTests", dependencies: ["RestSearch", "TestSupport"]),
        .testTarget(
            name: "RestDefinitionTests",
            dependencies: [
                "RestDocument", "RestDefinition", "RestYAML", "RestTesting", "TestSupport",
            ]),
        .testTarget(
            name: "RestInferenceTests",
            dependencies: [
                "RestDocument", "RestDefinition", "RestInference", "RestYAML", "TestSupport",
            ]),
        .testTarget(
            name: "RestMirrorTests",
            dependencies: [
                "RestDocument", "RestTransport", "RestRows", "RestPersistence", "RestDefinition",
                "RestInference", "RestYAML", "RestMirror", "RestXML", "RestKit", "RestTesting",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "MainActorIsolationTests",
            dependencies: ["RestKit", "RestTesting"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "RestCommandsTests",
            dependencies: [
                "RestCommands", "RestKit", "RestDefinition", "RestMirror", "RestYAML",
                "RestTesting", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "DemonstrationTests",
            dependencies: [
                "Demonstration", "RestCommands", "RestKit", "TestSupport",
                .product(name: "FlyingFox", package: "FlyingFox"),
            ]),
        .testTarget(
            name: "RestSyncTests",
            dependencies: [
                "RestKit", "RestTesting", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// One set of rules for every Swift target.
var rules: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
    .enableUpcomingFeature("InferIsolatedConformances"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    .strictMemorySafety(),
]

// Warnings are errors where scripts/check and scripts/test build, never where others depend on us.
if Context.environment["RESTKIT_STRICT"] == "1" {
    rules.append(.treatAllWarnings(as: .error))
}

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + rules
}
