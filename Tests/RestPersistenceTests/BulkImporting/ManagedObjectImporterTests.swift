// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

@Suite struct ManagedObjectImporterTests {
    private let files: TemporaryStore
    private let folder: URL

    init() throws {
        files = try TemporaryStore()
        folder = files.directory.appending(path: "input")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @discardableResult
    private func write(_ text: String, to name: String) throws -> URL {
        let url = folder.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url
    }

    private static func airports(_ codes: String...) -> String {
        "[" + codes.map { #"{"code": "\#($0)", "name": "Airport \#($0)"}"# }.joined(separator: ",")
            + "]"
    }

    private func codes() throws -> [String] {
        try files.rows("SELECT code FROM Airport ORDER BY code").map { $0[0] }
    }

    private static var airports: EntityMapping { EntityMapping(Airport.self) }

    // MARK: Sources

    @Test(.parity("P278")) func importsFileAtKeyPath() async throws {
        let url = try write(
            #"{"count": 3, "data": {"airports": \#(Self.airports("OSL", "BGO", "TRF"))}}"#,
            to: "all.json")
        let importer = ManagedObjectImporter(try await files.open())
        let summary = try await importer.importObjects(
            from: url, by: Self.airports, at: "data.airports")
        #expect(summary.objectCount == 3)
        #expect(summary.counts["Airport"]?.inserted == 3)
        #expect(try await importer.finish().objectCount == 3)
        #expect(try codes() == ["BGO", "OSL", "TRF"])
        // Without a key path, the list is the file.
        let list = try write(Self.airports("KRS"), to: "list.json")
        #expect(try await importer.importObjects(from: list, by: Self.airports).objectCount == 1)
    }

    @Test(.parity("P279", "P280")) func importsDirectEntriesOfFolder() async throws {
        try write(Self.airports("OSL", "BGO"), to: "1.json")
        try write(
            "{\"code\": \"TRF\", \"name\": \"Torp\"}\r\n\n{\"code\": \"KRS\", \"name\": \"Kjevik\"}",
            to: "2.jsonl")
        try write(#"{"code": "SVG", "name": "Sola"}"#, to: "3.json")
        try write("not a document", to: ".hidden")
        let importer = ManagedObjectImporter(try await files.open())
        let summary = try await importer.importObjects(from: folder, by: Self.airports)
        #expect(summary.objectCount == 5)
        #expect(summary.total.inserted == 5)
        #expect(try codes() == ["BGO", "KRS", "OSL", "SVG", "TRF"])
        // There is no recursion: a folder in the folder is not a file that can be imported.
        try FileManager.default.createDirectory(
            at: folder.appending(path: "4.json"), withIntermediateDirectories: true)
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: folder, by: Self.airports)
        }
        #expect(error?.location?.source == "4.json")
    }

    @Test func importerOfEarlierContentImportsNothing() async throws {
        let store = try await files.open()
        let first = try write(Self.airports("OSL"), to: "1.json")
        let second = try write(Self.airports("BGO"), to: "2.json")
        let importer = ManagedObjectImporter(store)
        try await importer.importObjects(from: first, by: Self.airports)
        let unused = ManagedObjectImporter(store)
        try await store.reset()
        for importer in [importer, unused] {
            let error = await #expect(throws: PersistenceError.self) {
                try await importer.importObjects(from: second, by: Self.airports)
            }
            let underlying = (error?.underlying as? PersistenceError)?.code
            #expect(error?.code == .storeClosed || underlying == .storeClosed)
        }
        await #expect(throws: PersistenceError.self) { try await importer.finish() }
        #expect(try codes() == [])
        try await ManagedObjectImporter(store).importObjects(from: second, by: Self.airports)
        #expect(try codes() == ["BGO"])
    }

    /// The reset comes while the source has more to read.
    @Test(arguments: [ImporterConfiguration.Saving.chunks, .whenFinished])
    func resetEndsImport(_ saving: ImporterConfiguration.Saving) async throws {
        let store = try await files.open()
        let importer = ManagedObjectImporter(
            store, configuration: .init(saving: saving, chunkCount: 1))
        let gate = Gate()
        let (parts, continuation) = AsyncStream<[UInt8]>.makeStream()
        let source = parts.map { part in
            if part.first != UInt8(ascii: "[") { await gate.pass() }
            return part
        }
        for part in [#"[{"code": "OSL", "name": "a"}, "#, #"{"code": "BGO", "name": "b"}]"#] {
            continuation.yield(Array(part.utf8))
        }
        continuation.finish()
        let work = Task {
            try await importer.importObjects(from: source, named: "airports", by: Self.airports)
            return try await importer.finish()
        }
        await gate.arrivals()
        #expect(try codes() == (saving == .chunks ? ["OSL"] : []))
        try await store.reset()
        gate.open()
        let error = await #expect(throws: PersistenceError.self) { try await work.value }
        let underlying = (error?.underlying as? PersistenceError)?.code
        #expect(error?.code == .storeClosed || underlying == .storeClosed)
        #expect(try codes() == [])
    }

    @Test(.parity("P281")) func namesMissingFile() async throws {
        let importer = ManagedObjectImporter(try await files.open())
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(
                from: folder.appending(path: "missing.json"), by: Self.airports)
        }
        #expect(error?.code == .importFailed)
        #expect(error?.location == ImportLocation(source: "missing.json"))
        #expect((error?.underlying as? DocumentError)?.code == .unreadableFile)
    }

    @Test(.parity("P282"), arguments: ["a.csv", "a.unknown", "a"])
    func refusesFileWithoutFormat(_ name: String) async throws {
        let url = try write(Self.airports("OSL"), to: name)
        let importer = ManagedObjectImporter(try await files.open())
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: url, by: Self.airports)
        }
        #expect(error?.code == .importFailed)
        #expect(error?.location?.source == name)
        #expect((error?.underlying as? DocumentError)?.code == .unregisteredFormat)
        // The type can be named.
        let summary = try await importer.importObjects(from: url, by: Self.airports, as: .json)
        #expect(summary.objectCount == 1)
    }

    /// A format that separates the code and the name in each line by a comma.
    private struct CommaFormat: DocumentFormat {
        func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
            var builder = DocumentBuilder()
            builder.beginArray()
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                let fields = line.split(separator: ",")
                builder.beginObject()
                for (name, field) in zip(["code", "name"], fields) {
                    builder.key(name)
                    builder.string(String(field))
                }
                builder.end()
            }
            builder.end()
            return builder.finish()
        }

        func write(_ document: Document) throws(DocumentError) -> [UInt8] { [] }
    }

    @Test func importsRegisteredFormat() async throws {
        var configuration = ImporterConfiguration(chunkCount: 2)
        configuration.formats.register(
            CommaFormat(), for: try #require(MediaType(parsing: "text/csv")))
        let url = try write("OSL,Gardermoen\nBGO,Flesland\nTRF,Torp\n", to: "airports.csv")
        let importer = ManagedObjectImporter(try await files.open(), configuration: configuration)
        #expect(try await importer.importObjects(from: url, by: Self.airports).objectCount == 3)
        #expect(try codes() == ["BGO", "OSL", "TRF"])
    }

    @Test(arguments: [1, 2, 7, 1_000]) func importsStreamOfAnyChunks(_ size: Int) async throws {
        let text = Array(#"{"data": \#(Self.airports("OSL", "BGO", "TRF"))}"#.utf8)
        let pieces = stride(from: 0, to: text.count, by: size).map {
            text[$0..<min($0 + size, text.count)]
        }
        let stream = AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        let importer = ManagedObjectImporter(try await files.open())
        let summary = try await importer.importObjects(
            from: stream, named: "test", by: Self.airports, at: "data")
        #expect(summary.objectCount == 3)
        #expect(try codes() == ["BGO", "OSL", "TRF"])
    }

    @Test func importsStandardInput() async throws {
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let pipe = Pipe()
            _ = dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
            try pipe.fileHandleForWriting.write(
                contentsOf: Data("{\"code\": \"OSL\", \"name\": \"a\"}\n".utf8))
            try pipe.fileHandleForWriting.close()
            let importer = try await ManagedObjectImporter(
                at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities))
            let summary = try await importer.importStandardInput(
                by: EntityMapping(Airport.self), as: .jsonLines)
            #expect(summary.objectCount == 1)
            try await importer.finish()
        }
        #expect(try codes() == ["OSL"])
    }

    // MARK: Errors

    @Test(.parity("P283")) func firstFailingFileEndsImport() async throws {
        try write(Self.airports("OSL", "BGO"), to: "1.json")
        try write(#"[{"code": "TRF", "name": "Torp"}, {"code": ]"#, to: "2.json")
        try write(Self.airports("KRS"), to: "3.json")
        let importer = ManagedObjectImporter(
            try await files.open(), configuration: .init(saving: .whenFinished))
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: folder, by: Self.airports)
        }
        #expect(error?.location?.source == "2.json")
        #expect((error?.underlying as? DocumentError)?.code == .unexpectedByte)
        // The objects of the first file are there, unsaved.
        #expect(try codes() == [])
        try await importer.finish()
        #expect(try codes() == ["BGO", "OSL"])
    }

    @Test(.parity("P284")) func mappingErrorListsAllReasons() async throws {
        let url = try write(#"[{"code": "OSL"}, {"code": "BGO"}]"#, to: "a.json")
        let importer = ManagedObjectImporter(try await files.open())
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(
                from: url, by: Self.airports)
        }
        let cause = error?.underlying as? PersistenceError
        #expect(cause?.code == .invalidObject)
        #expect(
            cause?.details == [
                "missingValue at [0]: Airport.name", "missingValue at [1]: Airport.name",
            ])
        #expect(try codes() == [])
    }

    static let broken: [(String, String, ImportLocation)] = [
        (
            "a.jsonl", "{\"number\": 1}\n\n{\"number\": \"x\"}\n",
            ImportLocation(source: "a.jsonl", offset: 15, line: 3, path: "[1].number")
        ),
        (
            "a.jsonl", "{\"number\": 1}\n{\"number\" 2}\n",
            ImportLocation(source: "a.jsonl", offset: 24, line: 2)
        ),
        (
            "a.json", "{\"list\": [\n {\"number\": 1},\n {\"number\": []}]}",
            ImportLocation(source: "a.json", offset: 28, line: 3, path: "list[1].number")
        ),
        (
            "a.json", "{\"list\": [\n {\"number\": 1},\n {\"number\": tru}]}",
            ImportLocation(source: "a.json", line: 3, path: "list[1].number")
        ),
        ("a.json", "{\"other\": []}", ImportLocation(source: "a.json", line: 1)),
    ]

    /// The chunks have one element each, so that positions are those in the file.
    @Test(arguments: broken)
    func errorNamesPlace(_ name: String, _ text: String, _ location: ImportLocation) async throws {
        let url = try write(text, to: name)
        let importer = ManagedObjectImporter(
            try await files.open(), configuration: .init(chunkCount: 1))
        let mapping = EntityMapping(Terminal.self, policy: .strict)
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(
                from: url, by: mapping, at: name == "a.json" ? "list" : .root)
        }
        #expect(error?.code == .importFailed)
        #expect(error?.location?.source == location.source)
        #expect(error?.location?.line == location.line)
        #expect(error?.location?.offset != nil)
        if let offset = location.offset { #expect(error?.location?.offset == offset) }
        if !location.path.components.isEmpty { #expect(error?.location?.path == location.path) }
        #expect(error?.description.contains(location.source) == true)
    }

    @Test func issuesNamePlace() async throws {
        let text = "{\"code\": \"A\", \"name\": \"a\"}\n{\"name\": \"b\", \"code\": null}\n"
        let url = try write(text, to: "a.jsonl")
        let importer = ManagedObjectImporter(
            try await files.open([
                EntityDescription(
                    "Port",
                    attributes: [
                        AttributeDescription("code", .text, isOptional: true, isIdentity: true),
                        AttributeDescription("name", .text),
                    ])
            ]), configuration: .init(chunkCount: 1))
        let mapping = EntityMapping(
            ObjectMapping(defaultFor: try #require(importer.store.model.properties(of: "Port"))))
        let summary = try await importer.importObjects(from: url, by: mapping)
        #expect(summary.objectCount == 2)
        #expect(summary.report.issues.map(\.code) == [.missingIdentity])
        #expect(summary.report.issues.map(\.path.description) == ["[1]"])
        #expect(
            summary.issueLocations
                == [ImportLocation(source: "a.jsonl", offset: 27, path: "[1]")])
    }

    @Test func refusesKeyPathOfLines() async throws {
        let url = try write("{}", to: "a.jsonl")
        let importer = ManagedObjectImporter(try await files.open())
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: url, by: Self.airports, at: "data")
        }
        #expect((error?.underlying as? DocumentError)?.code == .invalidPath)
    }
}
