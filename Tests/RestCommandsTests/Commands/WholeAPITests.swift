// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestDocument
import RestMirror
import RestTesting
import TestSupport
import Testing

@testable import RestCommands

/// Whole APIs from files, mirrored by the tool without a definition, and compared with the files by SQL.
@Suite(
    .tags(.socket), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct WholeAPITests {
    struct API: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The files of the lists, with the path of their records.
        let lists: [(file: String, path: DocumentPath)]
    }

    static let apis = [
        API(
            testDescription: "Star Wars",
            lists: [
                "people", "planets", "films", "species", "starships", "vehicles", "transport",
            ].map { ("corpus/swapi/\($0).json", .root) }),
        API(
            testDescription: "GitHub events", lists: [("corpus/github_events.json", .root)]),
        API(testDescription: "Tweets", lists: [("corpus/twitter.json", "statuses")]),
        API(testDescription: "Generated articles", lists: [("corpus/rest100.json", "data")]),
    ]

    /// Returns a page of a list, as servers with a `Link` field do.
    private static func page(
        _ records: [Node], _ request: LoopbackRequest, size: Int = 7
    ) -> LoopbackResponse {
        let number = request.query.split(separator: "=").last.flatMap { Int($0) } ?? 1
        let page = records.dropFirst((number - 1) * size).prefix(size)
        var builder = DocumentBuilder()
        builder.beginArray()
        for record in page { builder.value(record) }
        builder.end()
        let host = request.headers["host"] ?? ""
        let next = "<http://\(host)\(request.path)?page=\(number + 1)>; rel=\"next\""
        return .json(
            JSONWriter.compact.text(of: builder.finish()),
            headers: number * size < records.count ? [("Link", next)] : [])
    }

    /// Returns the value of a record as a column has it; `nil` for types that a column writes in another form.
    private static func expected(
        _ attribute: AttributeDefinition, _ record: Node
    ) -> String? {
        let path = attribute.path ?? DocumentPath([.key(attribute.name)])
        guard attribute.form == .value else { return nil }
        guard let node = record[path] ?? record["fields"]?[path], !node.isNull else {
            return "null"
        }
        switch attribute.type {
        case .integer: return node.int64.map { "integer(\($0))" }
        case .boolean: return node.bool.map { "integer(\($0 ? 1 : 0))" }
        case .double: return node.double.map { "double(\($0))" }
        case .text, .url:
            return node.string.map { "text(\($0.debugDescription))" }
        default: return nil
        }
    }

    @Test(arguments: apis) func equalsItsFiles(_ api: API) async throws {
        for (file, path) in api.lists {
            let bytes = Array(try SharedFiles.data(file))
            let document = try Document(parsing: bytes)
            let records = Array(try #require(document.root[path]).elements)
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "whole-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let database = folder.appending(path: "mirror.db")
            let name = URL(filePath: file).deletingPathExtension().lastPathComponent
            _ = try await LoopbackServer.run {
                Self.page(records, $0)
            } body: { server in
                try await MirrorCommand.parse([
                    server.baseURL + name, database.path(percentEncoded: false),
                ]).run()
            }
            try Self.compare(records, database)
            let definition = try MirrorStatus(of: database).definition
            let names = definition.resources.flatMap(\.entity.names)
            try RelationComparison(definition, database).compare(
                records, of: try #require(names.first))
        }
    }

    /// All lists of an API in one file: a definition is inferred from samples of them, and run.
    @Test func relationsOfAllListsEqualTheirFiles() async throws {
        let names = ["people", "planets", "films", "species", "starships", "vehicles"]
        var lists: [String: [Node]] = [:]
        var samples: [String: String] = [:]
        for name in names {
            let bytes = Array(try SharedFiles.data("corpus/swapi/\(name).json"))
            lists[name] = Array(try Document(parsing: bytes).root.elements)
            samples["samples/\(name).json"] = String(decoding: bytes, as: UTF8.self)
        }
        let records = lists
        try await TemporaryFiles.with(samples) { folder in
            let yaml = URL(filePath: folder + "/api.yaml")
            let database = URL(filePath: folder + "/mirror.db")
            let path = yaml.path(percentEncoded: false)
            _ = try await OutputCapture.run { console in
                let command = try InitCommand.parse([folder + "/samples", "--output", path])
                let code = try await command.run(on: console)
                #expect(code == 0)
            }
            let inferred = try String(contentsOf: yaml, encoding: .utf8)
            _ = try await LoopbackServer.run { request in
                Self.page(records[String(request.path.dropFirst())] ?? [], request)
            } body: { server in
                let text = inferred.replacing("https://api.example.com/", with: server.baseURL)
                try Data(text.utf8).write(to: yaml)
                try await SyncCommand.parse([path, database.path(percentEncoded: false)]).run()
            }
            let definition = try MirrorStatus(of: database).definition
            let comparison = RelationComparison(definition, database)
            var count = 0
            for resource in definition.resources {
                let list = try #require(records[resource.name])
                count += try comparison.compare(list, of: resource.entity.names[0])
            }
            // Films and species have lists of others, and people and species a planet.
            #expect(count >= 8)
            #expect(try comparison.integer("SELECT count(*) FROM restkit_quarantine") == 0)
        }
    }

    private static func compare(_ records: [Node], _ file: URL) throws {
        let definition = try MirrorStatus(of: file).definition
        guard case .one(let name)? = definition.resources.first?.entity,
            let entity = definition.entity(named: name), entity.identity.count == 1,
            let identity = entity.attribute(named: entity.identity[0])
        else {
            Issue.record("the list has no entity with one identity")
            return
        }
        let columns = entity.attributes.map(\.name)
        var rows: [String: [String]] = [:]
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        try MirrorQuery("SELECT \(names) FROM \"\(name)\"", of: file).run { _, values in
            let texts = values.map { "\($0)" }
            rows[texts[columns.firstIndex(of: identity.name) ?? 0]] = texts
        }
        var comparedCount = 0
        // A record that a list has twice is one row, with the values of the last one.
        var last: [String: Node] = [:]
        for record in records { last[expected(identity, record) ?? ""] = record }
        // Records inside of others can be of the same entity.
        #expect(rows.count >= last.count)
        for (key, record) in last {
            let row = try #require(rows[key], "\(name) \(key)")
            for (attribute, value) in zip(entity.attributes, row) {
                guard let expected = expected(attribute, record) else { continue }
                #expect(value == expected, "\(name).\(attribute.name)")
                comparedCount += 1
            }
        }
        #expect(comparedCount >= 3 * last.count)
        var kept: [String] = []
        try MirrorQuery("SELECT path FROM restkit_quarantine", of: file).run { _, values in
            kept.append("\(values[0])")
        }
        #expect(kept == [])
    }
}
