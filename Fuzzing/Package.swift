// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Fuzz targets for the package in the parent directory. A separate package, as a package with unsafe
// flags cannot be a dependency; see README.md.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "RestKit", path: "..", traits: [])],
    targets: [
        // The invariants that hold for every input; links to the folders of the tests that share them.
        .target(
            name: "DocumentInvariants",
            dependencies: [.product(name: "RestDocument", package: "RestKit")]),
        .target(
            name: "MappingInvariants",
            dependencies: [
                .product(name: "RestDocument", package: "RestKit"),
                .product(name: "RestMapping", package: "RestKit"),
            ]),
        .target(
            name: "XMLInvariants",
            dependencies: [
                .product(name: "RestDocument", package: "RestKit"),
                .product(name: "RestXML", package: "RestKit"),
            ]),
        .target(
            name: "NetworkingInvariants",
            dependencies: [.product(name: "RestNetworking", package: "RestKit")]),
        .target(
            name: "DefinitionInvariants",
            dependencies: [
                .product(name: "RestDocument", package: "RestKit"),
                .product(name: "RestDefinition", package: "RestKit"),
            ]),
        .target(name: "FuzzEntry"),
        // The program that scripts/differential compares with another parser.
        .executableTarget(
            name: "DocumentAnswers",
            dependencies: [.product(name: "RestDocument", package: "RestKit")]),
        // The program whose output scripts/multipart decodes with other libraries.
        .executableTarget(
            name: "MultipartMessages",
            dependencies: [.product(name: "RestTransport", package: "RestKit")]),
    ],
    swiftLanguageModes: [.v6]
)

// Every fuzz target is a program of one file; libFuzzer provides the entry point.
let fuzzers: [(name: String, invariants: Target.Dependency)] = [
    ("ParserFuzzer", "DocumentInvariants"), ("PathFuzzer", "DocumentInvariants"),
    ("WriterFuzzer", "DocumentInvariants"), ("StreamFuzzer", "DocumentInvariants"),
    ("FormFuzzer", "DocumentInvariants"), ("CodingFuzzer", "DocumentInvariants"),
    ("DateFuzzer", "MappingInvariants"), ("MappingFuzzer", "MappingInvariants"),
    ("XMLFuzzer", "XMLInvariants"), ("MediaTypeFuzzer", "DocumentInvariants"),
    ("LinkFieldFuzzer", "NetworkingInvariants"), ("DefinitionFuzzer", "DefinitionInvariants"),
]
for (name, invariants) in fuzzers {
    package.targets.append(
        .executableTarget(
            name: name, dependencies: [invariants, "FuzzEntry"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .strictMemorySafety(),
            .treatAllWarnings(as: .error),
        ]
}
