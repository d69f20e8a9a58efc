// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The optional corpus of public documents, recorded traffic and conformance suites.
///
/// Its directory is in the environment variable `RESTKIT_SHARED`, or `shared` beside the package.
/// Tests that need it have the trait
/// `.enabled(if: SharedFiles.isAvailable, "shared corpus not found")`.
package enum SharedFiles {
    /// The corpus's directory, or `nil` if there is none.
    package static let directory: URL? = {
        let root = ProcessInfo.processInfo.environment["RESTKIT_SHARED"]
            .map { URL(fileURLWithPath: $0, isDirectory: true) }
        let candidate = root ?? besidePackage
        return isDirectory(candidate) ? candidate : nil
    }()

    /// A Boolean value that indicates whether the corpus is present.
    package static var isAvailable: Bool { directory != nil }

    /// Returns the contents of a file at a path in the corpus.
    package static func data(_ path: String) throws -> Data {
        try Data(contentsOf: url(path))
    }

    /// Returns the sorted paths in the corpus of the files in a folder and its subfolders.
    package static func files(in folder: String, suffix: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url(folder).path)
            .filter { $0.hasSuffix(suffix) }
            .map { "\(folder)/\($0)" }
            .filter { try !isDirectory(url($0)) }
            .sorted()
    }

    /// Returns the URL of a file at a path in the corpus.
    package static func url(_ path: String) throws -> URL {
        guard let directory else { throw CocoaError(.fileNoSuchFile) }
        return directory.appendingPathComponent(path)
    }

    private static func isDirectory(_ url: URL) -> Bool {
        let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isDirectoryKey])
        return values?.isDirectory == true
    }

    private static var besidePackage: URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("shared", isDirectory: true)
    }
}
