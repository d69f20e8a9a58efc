// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestYAML

/// The definitions in the folder `Examples/Definitions`.
enum ExampleFiles {
    /// The names of the files, without their extension.
    static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (files ?? []).filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
            .sorted()
    }()

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/Definitions", isDirectory: true)

    /// Returns the text of a file.
    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name + ".yaml"), encoding: .utf8)
    }

    /// Returns the value of a file with its positions.
    static func source(_ name: String) throws -> SourceValue {
        try SourceValue(parsingYAML: text(name))
    }
}
