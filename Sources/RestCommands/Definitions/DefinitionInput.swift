// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestDocument
import RestInference
import RestYAML

/// A file or folder that a command reads definitions or samples from.
struct DefinitionInput {
    private static let maximumByteCount = 256 << 20

    let path: String

    /// Returns the content of the file.
    ///
    /// - Throws: ``ToolError`` if the file cannot be read or is too large.
    func bytes() throws -> [UInt8] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        } catch {
            throw ToolError(
                .fileFailed, "cannot read \(path)",
                advice: "name a file that exists and can be read")
        }
        guard data.count <= Self.maximumByteCount else {
            throw ToolError(
                .fileFailed, "\(path) is larger than \(Self.maximumByteCount) bytes",
                advice: "split it")
        }
        return Array(data)
    }

    /// Returns the value of the file, which is JSON or YAML.
    ///
    /// - Throws: ``ToolError`` for an unreadable file, `DefinitionError` for invalid text.
    func source() throws -> SourceValue {
        let bytes = try bytes()
        guard Self.isJSON(bytes) else {
            return try SourceValue(parsingYAML: String(decoding: bytes, as: UTF8.self))
        }
        return try SourceValue(parsingJSON: bytes)
    }

    /// Returns the definition in the file, or reports each diagnostic with its place.
    ///
    /// - Throws: `ExitCode` 1 if the definition is not valid, and 2 if the file cannot be read.
    func definition(reportingTo console: Console) throws(ExitCode) -> DefinitionFile {
        do {
            return try DefinitionFile(reading: source())
        } catch let error as DefinitionError {
            for diagnostic in error.diagnostics {
                let separator = diagnostic.location == nil ? ": " : ":"
                console.report(TerminalText.escaped(path + separator + diagnostic.description))
            }
            throw ExitCode(1)
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            throw ExitCode(2)
        }
    }

    /// Returns a Boolean value that indicates whether a text begins like a JSON document.
    static func isJSON(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// A Boolean value that indicates whether the path is that of a folder.
    var isFolder: Bool {
        let values = try? URL(filePath: path).resolvingSymlinksInPath()
            .resourceValues(forKeys: [.isDirectoryKey])
        return values?.isDirectory == true
    }

    /// Returns the definition that the file or the samples in the folder show.
    ///
    /// - Throws: ``ToolError`` for an unreadable file, `DefinitionError` if nothing can be inferred.
    func inferred() throws -> InferredDefinition {
        if isFolder { return try inferredFromSamples() }
        let bytes = try bytes()
        if Self.isJSON(bytes), let document = try? Document(parsing: bytes) {
            if HARInference.isArchive(document) { return try HARInference.result(of: document) }
            if document.root["openapi"] == nil, document.root["swagger"] == nil {
                var inference = DefinitionInference()
                inference.observe(document, from: Self.samplePath(path, in: ""))
                return try Self.checked(inference)
            }
        }
        return try OpenAPIInference.result(of: try source())
    }

    private func inferredFromSamples() throws -> InferredDefinition {
        var inference = DefinitionInference()
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for file in files.sorted() where file.lowercased().hasSuffix(".json") {
            let bytes = try DefinitionInput(path: path + "/" + file).bytes()
            do throws(DocumentError) {
                let document = try Document(parsing: bytes)
                inference.observe(document, from: Self.samplePath(file, in: path))
            } catch {
                throw ToolError(
                    .fileFailed, "\(file):\(error.line):\(error.column) is not valid JSON",
                    advice: "write \(error.expected), or remove the file")
            }
        }
        return try Self.checked(inference)
    }

    /// Returns the path of a resource for the path of a sample, such as `/users/1` for `users/1.json`.
    private static func samplePath(_ file: String, in folder: String) -> String {
        let name = folder.isEmpty ? String(file.split(separator: "/").last ?? "") : file
        return "/" + (name.lowercased().hasSuffix(".json") ? String(name.dropLast(5)) : name)
    }

    private static func checked(_ inference: DefinitionInference) throws -> InferredDefinition {
        let result = inference.result()
        guard !result.definition.resources.isEmpty else {
            throw DefinitionError([
                DefinitionDiagnostic(
                    .invalidSyntax, problem: "the samples have no records",
                    advice: "name JSON documents with objects or lists of objects")
            ])
        }
        return result
    }
}
