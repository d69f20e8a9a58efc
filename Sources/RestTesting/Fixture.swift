// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RestDocument

/// A directory of files that tests read, such as JSON documents.
///
///     let fixtures = Fixture(relativeTo: #filePath)
///     let user = try fixtures.document("user")              // Fixtures/user.json
public struct Fixture: Sendable {
    /// The directory of the files.
    public let directory: URL

    /// Creates the fixtures of a directory.
    public init(directory: URL) {
        self.directory = directory
    }

    /// Creates the fixtures of a folder next to a source file.
    ///
    /// - Parameters:
    ///   - file: The path of the source file: `#filePath`.
    ///   - folder: The name of the folder.
    public init(relativeTo file: String, folder: String = "Fixtures") {
        self.init(
            directory: URL(fileURLWithPath: file).deletingLastPathComponent()
                .appendingPathComponent(folder))
    }

    /// Creates the fixtures of a bundle, such as `Bundle.module` of a target with resources.
    public init(bundle: Bundle, folder: String = "") {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        self.init(
            directory: folder.isEmpty ? resources : resources.appendingPathComponent(folder))
    }

    /// Returns the content of a file.
    ///
    /// - Parameter name: The name or relative path, such as `user.json` or `humans/all.json`.
    /// - Returns: The content.
    /// - Throws: ``FixtureError`` if there is no such file. The error lists the existing files.
    public func data(_ name: String) throws(FixtureError) -> Data {
        do {
            return try Data(contentsOf: directory.appendingPathComponent(name))
        } catch {
            throw FixtureError(
                "no fixture '\(name)' in \(directory.path); existing files: \(names(inFolderOf: name))"
            )
        }
    }

    /// Returns the JSON document of a file.
    ///
    /// - Parameter name: The name, with or without `.json`.
    /// - Returns: The document.
    /// - Throws: ``FixtureError`` if there is no such file, or with line and column if it is not JSON.
    public func document(_ name: String) throws(FixtureError) -> Document {
        let file = name.hasSuffix(".json") ? name : name + ".json"
        let data = try data(file)
        do {
            return try Document(parsing: data)
        } catch {
            throw FixtureError("the fixture '\(file)' is not JSON: \(error)")
        }
    }

    private func names(inFolderOf name: String) -> String {
        let folder = directory.appendingPathComponent(name).deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.isEmpty ? "none" : names.sorted().prefix(20).joined(separator: ", ")
    }
}

/// The error of a fixture that cannot be read.
public struct FixtureError: Error, Sendable, CustomStringConvertible {
    /// One line with the file and the problem.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
