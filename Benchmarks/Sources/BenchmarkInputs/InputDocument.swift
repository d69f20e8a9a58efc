// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A document to measure with, in both forms the engines take.
public struct InputDocument: Sendable {
    /// What the results call it.
    public let name: String
    /// The document, for Foundation.
    public let data: Data
    /// The document, for RestKit.
    public let bytes: [UInt8]

    init(name: String, data: Data) {
        self.name = name
        self.data = data
        bytes = [UInt8](data)
    }

    /// A file of the shared corpus; `nil` where it is absent.
    ///
    /// - Parameters:
    ///   - name: What the results call it.
    ///   - file: Its path inside the corpus.
    public init?(_ name: String, file: String) {
        guard let url = SharedCorpus.directory?.appendingPathComponent(file),
            let data = try? Data(contentsOf: url)
        else { return nil }
        self.init(name: name, data: data)
    }

    /// A collection of articles as an API would send it: by the corpus's own script where that can
    /// run, else by a generator of the same shape; the name says which.
    ///
    /// - Parameter articleCount: How many articles.
    /// - Returns: The document, called `REST 1k` or `built-in REST 1k`.
    public static func collection(of articleCount: Int) -> InputDocument {
        let size = articleCount % 1000 == 0 ? "\(articleCount / 1000)k" : "\(articleCount)"
        if let data = SharedCorpus.collection(of: articleCount) {
            return InputDocument(name: "REST \(size)", data: data)
        }
        return InputDocument(
            name: "built-in REST \(size)",
            data: Data(GeneratedCollection(articleCount: articleCount).json.utf8))
    }

    /// The same collection as a file, which was never in the memory of this process; `nil` where
    /// the corpus's own script cannot run.
    ///
    /// - Parameter articleCount: How many articles.
    /// - Returns: A file of the caller's.
    public static func file(of articleCount: Int) -> URL? {
        SharedCorpus.file(of: articleCount)
    }
}

/// The corpus of public documents: the directory named by `RESTKIT_SHARED`, or else `shared` beside
/// the package.
enum SharedCorpus {
    static let directory: URL? = {
        let named = ProcessInfo.processInfo.environment["RESTKIT_SHARED"]
            .map { URL(fileURLWithPath: $0, isDirectory: true) }
        let candidate = named ?? besidePackage
        let marker = candidate.appendingPathComponent("corpus")
        return FileManager.default.fileExists(atPath: marker.path) ? candidate : nil
    }()

    /// What the corpus's script writes for a number of articles; `nil` where it cannot run.
    static func collection(of articleCount: Int) -> Data? {
        guard let file = file(of: articleCount) else { return nil }
        defer { try? FileManager.default.removeItem(at: file) }
        return try? Data(contentsOf: file)
    }

    /// The file that the script writes.
    static func file(of articleCount: Int) -> URL? {
        guard let script = directory?.appendingPathComponent("corpus/gen_rest.py"),
            FileManager.default.fileExists(atPath: script.path)
        else { return nil }
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("restkit-benchmark-\(UUID().uuidString).json")
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", script.path, "\(articleCount)", output.path]
        python.standardError = FileHandle.nullDevice
        do {
            try python.run()
        } catch {
            return nil
        }
        python.waitUntilExit()
        return python.terminationStatus == 0 ? output : nil
    }

    private static var besidePackage: URL {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root.appendingPathComponent("shared", isDirectory: true)
    }
}
