// SPDX-License-Identifier: Apache-2.0

// The modules are beside the test program where SwiftPM runs it directly, as on Linux.
#if os(Linux)
import Foundation
import Testing

/// The compiler, which tests call for programs that it must refuse.
///
/// One call compiles many snippets: each is a named part of one file.
package enum SwiftCompiler {
    /// The part of the compiler that finds an error.
    package enum Stage: String {
        /// Types and isolation, which are checked first.
        case types = "-typecheck"
        /// The transfer of values between isolation regions, which is checked if the types have no
        /// error.
        case regions = "-emit-sil"
    }

    /// Compiles snippets.
    ///
    /// Errors in the expansion of a macro are found under the name of the expansion.
    ///
    /// - Parameters:
    ///   - snippets: The source texts by name. Names have neither colons nor quotes.
    ///   - declarations: Source text that precedes the snippets, such as imports.
    ///   - stage: The last part of the compiler to run.
    /// - Returns: The messages of the compiler's errors by the name of the snippet.
    /// - Throws: An error if the compiler cannot be run.
    package static func errors(
        in snippets: [String: String], after declarations: String, stage: Stage = .types
    ) throws -> [String: Set<String>] {
        let parts = snippets.sorted { $0.key < $1.key }.map { name, source in
            "#sourceLocation(file: \"\(name)\", line: 1)\n\(source)\n#sourceLocation()\n"
        }
        var errors: [String: Set<String>] = [:]
        for error in try found(in: declarations + "\n" + parts.joined(), stage) {
            errors[error.file, default: []].insert(error.message)
        }
        return errors
    }

    /// Compiles a source text.
    ///
    /// - Parameter source: The source text.
    /// - Returns: The compiler's errors in their order: the line, a colon and the message, or only the
    ///   message of an error in the expansion of a macro.
    /// - Throws: An error if the compiler cannot be run.
    package static func errors(of source: String) throws -> [String] {
        try found(in: source, .types).map { error in
            error.file.hasSuffix(fileName) ? "\(error.line): \(error.message)" : error.message
        }
    }

    private static let fileName = "Refused.swift"

    /// Returns the errors of a source text with the names of their files and their lines.
    private static func found(
        in source: String, _ stage: Stage
    ) throws -> [(file: String, line: Substring, message: String)] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: fileName)
        try source.write(to: file, atomically: true, encoding: .utf8)

        let output = folder.appending(path: "output")
        #expect(FileManager.default.createFile(atPath: output.path, contents: nil))
        let compiler = try process(stage, file)
        compiler.standardOutput = FileHandle.nullDevice
        compiler.standardError = try FileHandle(forWritingTo: output)
        try compiler.run()
        compiler.waitUntilExit()

        let text = try String(contentsOf: output, encoding: .utf8)
        var errors: [(file: String, line: Substring, message: String)] = []
        // The excerpts of the source repeat the message behind a margin.
        for line in text.split(separator: "\n") where line.first != " " {
            guard let range = line.range(of: ": error: ") else { continue }
            let message = line[range.upperBound...]
            // The compiler names the macro of a diagnostic at its declaration, and the group.
            let end = [" (from macro", " [#"].compactMap { message.range(of: $0)?.lowerBound }.min()
            let location = line.split(separator: ":", maxSplits: 2)
            errors.append(
                (String(location[0]), location[1], String(message[..<(end ?? message.endIndex)])))
        }
        #expect(errors.isEmpty == (compiler.terminationStatus == 0), "\(text)")
        return errors
    }

    private static func process(_ stage: Stage, _ file: URL) throws -> Process {
        let build = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let scratch = build.deletingLastPathComponent().deletingLastPathComponent()
        // This file is in Tests/TestSupport.
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", stage.rawValue, "-swift-version", "6", "-parse-as-library",
            "-I", build.appending(path: "Modules").path,
            "-I", scratch.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite").path,
            "-I", root.appending(path: "Sources/CSQLite").path,
            "-load-plugin-executable",
            build.appending(path: "RestMacros-tool").path + "#RestMacros",
            file.path,
        ]
        return compiler
    }
}
#endif
