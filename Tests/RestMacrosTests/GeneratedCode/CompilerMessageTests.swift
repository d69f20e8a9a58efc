// SPDX-License-Identifier: Apache-2.0

// The modules are beside the test program where SwiftPM runs it directly, as on Linux.
#if Macros && os(Linux)
import Foundation
import Testing

/// The errors that the compiler reports for declarations that the macros accept.
@Suite struct CompilerMessageTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let source: String
        let errors: Set<String>

        var testDescription: String { source }
    }

    static let notMappable =
        "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    static let notOptional = "a to-one relationship is optional: write '?' after its type"

    static let refusals = [
        Refusal(
            source: """
                import RestMapping
                enum Status: String { case open }
                @Mapped struct Article { var status: Status }
                """,
            errors: [
                "'init(required:_:_:)' is unavailable: \(notMappable)",
                "'write' is unavailable: \(notMappable)",
                "'assign' is unavailable: \(notMappable)",
            ]),
        Refusal(
            source: """
                import RestMapping
                struct Settings: Codable { var depth = 1 }
                @Mapped struct Article { var settings: Settings? }
                """,
            errors: [
                "'init(_:_:_:)' is unavailable: \(notMappable)",
                "'write' is unavailable: \(notMappable)",
                "'assign(nullable:)' is unavailable: \(notMappable)",
            ]),
        Refusal(
            source: """
                import RestPersistence
                @Entity final class City: ManagedObject { @Identity var id: Int }
                @Entity final class Airport: ManagedObject { @Identity var id: Int; var city: City }
                """,
            errors: [
                "'property(_:_:sourceKey:isIdentity:default:inverse:)' is unavailable: "
                    + notOptional,
                "'managedValue' is unavailable: \(notOptional)",
            ]),
        Refusal(
            source: """
                import RestMapping
                @Mapped struct Article { @MappedKey("a[") var title: String? }
                """,
            errors: ["the source key is not a path: it requires ']' after '['"]),
        Refusal(
            source: """
                import RestMapping
                @Mapped struct User { var name = "" }
                @Mapped struct Article { var user = User(); var tags = [String]() }
                """,
            errors: []),
    ]

    @Test(arguments: refusals) func reportsWhatToWrite(_ refusal: Refusal) throws {
        #expect(try errors(of: refusal.source) == refusal.errors)
    }

    /// Returns the messages of the compiler's errors.
    private func errors(of source: String) throws -> Set<String> {
        let build = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let scratch = build.deletingLastPathComponent().deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Refused.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)

        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library",
            "-I", build.appending(path: "Modules").path,
            "-I", scratch.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite").path,
            "-load-plugin-executable",
            build.appending(path: "RestMacros-tool").path + "#RestMacros",
            file.path,
        ]
        let output = folder.appending(path: "output")
        #expect(FileManager.default.createFile(atPath: output.path, contents: nil))
        compiler.standardError = try FileHandle(forWritingTo: output)
        try compiler.run()
        compiler.waitUntilExit()
        let text = try String(contentsOf: output, encoding: .utf8)
        let errors = text.split(separator: "\n").compactMap { line -> String? in
            // The excerpts of the source repeat the message behind a margin.
            guard let range = line.range(of: ": error: "), line.first != " " else { return nil }
            let message = line[range.upperBound...]
            // The compiler names the macro of a diagnostic at its declaration.
            return String(
                message[..<(message.range(of: " (from macro")?.lowerBound ?? message.endIndex)])
        }
        #expect(errors.isEmpty == (compiler.terminationStatus == 0), "\(text)")
        return Set(errors)
    }
}
#endif
