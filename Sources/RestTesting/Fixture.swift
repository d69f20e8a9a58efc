// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RestDocument

/// A folder of files that tests read: JSON documents and anything else.
///
///     let fixtures = Fixture(besides: #filePath)
///     let user = try fixtures.document("user")              // Fixtures/user.json
public struct Fixture: Sendable {
    /// Where the files are.
    public let directory: URL

    /// Makes the fixtures of a folder.
    public init(directory: URL) {
        self.directory = directory
    }

    /// Makes the fixtures of a folder beside a source file.
    ///
    /// - Parameters:
    ///   - file: Where the source is: `#filePath`.
    ///   - folder: Name of the folder.
    public init(besides file: String, folder: String = "Fixtures") {
        self.init(
            directory: URL(fileURLWithPath: file).deletingLastPathComponent()
                .appendingPathComponent(folder))
    }

    /// Makes the fixtures of a bundle, as `Bundle.module` of a target with resources.
    public init(bundle: Bundle, folder: String = "") {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        self.init(
            directory: folder.isEmpty ? resources : resources.appendingPathComponent(folder))
    }

    /// The bytes of a file.
    ///
    /// - Parameter name: Such as `user.json` or `humans/all.json`.
    /// - Returns: What is in it.
    /// - Throws: ``FixtureError`` that says which files there are, when there is none of that name.
    public func data(_ name: String) throws(FixtureError) -> Data {
        do {
            return try Data(contentsOf: directory.appendingPathComponent(name))
        } catch {
            throw FixtureError(
                "no fixture '\(name)' in \(directory.path); there are: \(names(beside: name))")
        }
    }

    /// The JSON document of a file.
    ///
    /// - Parameter name: With or without `.json`.
    /// - Returns: The document.
    /// - Throws: ``FixtureError`` with line and column when the file is not JSON.
    public func document(_ name: String) throws(FixtureError) -> Document {
        let file = name.hasSuffix(".json") ? name : name + ".json"
        let data = try data(file)
        do {
            return try Document(parsing: data)
        } catch {
            throw FixtureError("the fixture '\(file)' is not JSON: \(error)")
        }
    }

    private func names(beside name: String) -> String {
        let folder = directory.appendingPathComponent(name).deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.isEmpty ? "none" : names.sorted().prefix(20).joined(separator: ", ")
    }
}

/// Why a fixture could not be read.
public struct FixtureError: Error, Sendable, CustomStringConvertible {
    /// One line: which file, and what is wrong with it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
