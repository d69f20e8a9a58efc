// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The corpus of public documents, recorded traffic and conformance suites, where it is present.
///
/// It lies in the directory named by the environment variable `RESTKIT_SHARED`, or else in
/// `shared` beside the package. Tests that need it say
/// `.enabled(if: SharedFiles.isAvailable, "shared corpus not found")`.
package enum SharedFiles {
    /// The corpus's directory, or nil where there is none.
    package static let directory: URL? = {
        let root = ProcessInfo.processInfo.environment["RESTKIT_SHARED"]
            .map { URL(fileURLWithPath: $0, isDirectory: true) }
        let candidate = root ?? besidePackage
        return isDirectory(candidate) ? candidate : nil
    }()

    /// Whether the corpus is present.
    package static var isAvailable: Bool { directory != nil }

    /// The contents of one file, by its path inside the corpus.
    package static func data(_ path: String) throws -> Data {
        try Data(contentsOf: url(path))
    }

    /// The paths inside the corpus of the files of a folder and its subfolders, sorted.
    package static func files(in folder: String, suffix: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url(folder).path)
            .filter { $0.hasSuffix(suffix) }
            .map { "\(folder)/\($0)" }
            .filter { try !isDirectory(url($0)) }
            .sorted()
    }

    /// Where a file of the corpus lies.
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
