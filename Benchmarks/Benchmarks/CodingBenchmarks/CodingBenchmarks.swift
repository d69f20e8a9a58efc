// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestDocument

/// Benchmarks from bytes to `Codable` types and back, with the same types for both engines.
let benchmarks: @Sendable () -> Void = {
    let collection = InputDocument.collection(of: 1000)
    compare(ArticlePage.self, on: collection, named: collection.name)
    compare(DatedPage.self, on: collection, named: "\(collection.name) with dates")
    compare(Twitter.Search.self, on: InputDocument("twitter", file: "corpus/twitter.json"))
    compare([GitHub.Event].self, on: InputDocument("github", file: "corpus/github_events.json"))
    compare(Catalog.Root.self, on: InputDocument("citm", file: "corpus/citm_catalog.json"))
    compare(GeoJSON.Collection.self, on: InputDocument("canada", file: "corpus/canada.json"))
}

/// Registers both engines for one document, after a comparison of their results.
private func compare<Root: Codable & Equatable & Sendable>(
    _ type: Root.Type, on input: InputDocument?, named name: String? = nil
) {
    guard let input else { return }
    let name = name ?? input.name
    let (ours, decoder) = (DocumentDecoder(), JSONDecoder())
    let (ourEncoder, encoder) = (DocumentEncoder(), JSONEncoder())
    decoder.dateDecodingStrategy = .iso8601
    encoder.dateEncodingStrategy = .iso8601
    let root: Root
    let document: Document
    do {
        root = try decoder.decode(type, from: input.data)
        guard try ours.decode(type, from: input.bytes) == root else {
            throw UnequalObjects(input: name)
        }
        let written = try ourEncoder.bytes(of: root)
        guard try decoder.decode(type, from: Data(written)) == root,
            try ours.decode(type, from: encoder.encode(root)) == root
        else { throw UnequalObjects(input: name) }
        document = try Document(parsing: written)
        guard JSONWriter.compact.bytes(of: document) == written else {
            throw UnequalObjects(input: name)
        }
    } catch {
        fatalError("\(name): \(error)")
    }
    measure("\(name): DocumentDecoder") { try ours.decode(type, from: input.bytes) }
    measure("\(name): JSONDecoder") { try decoder.decode(type, from: input.data) }
    measure("\(name): DocumentEncoder") { try ourEncoder.bytes(of: root) }
    measure("\(name): JSONWriter") { JSONWriter.compact.bytes(of: document) }
    measure("\(name): JSONEncoder") { try encoder.encode(root) }
}

private func measure<Result>(_ name: String, _ pass: @escaping @Sendable () throws -> Result) {
    Benchmark(name, configuration: Benchmark.computation) { (benchmark: Benchmark) throws in
        try benchmark.measurePass(pass)
    }
}

/// An error for engines whose results differ, which makes their times incomparable.
struct UnequalObjects: Error, CustomStringConvertible {
    let input: String

    var description: String { "\(input): the engines make different objects" }
}
