// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestDocument
import RestMapping

/// Benchmarks from bytes to typed objects and back, with the same models for both engines.
let benchmarks: @Sendable () -> Void = {
    let collection = InputDocument.collection(of: 1000)
    compare(ArticlePage.self, on: collection, named: collection.name)
    compare(DatedPage.self, on: collection, named: "\(collection.name) with dates")
    compareReading(on: collection)
    compareDynamic(on: collection, kindCount: 50)
    compareMemory(named: "REST 10k", articleCount: 10_000)
    compareWriting(ArticlePage.self, on: collection, named: collection.name)
    compareWriting(DatedPage.self, on: collection, named: "\(collection.name) with dates")
    compare(Twitter.Search.self, on: InputDocument("twitter", file: "corpus/twitter.json"))
    compare(Catalog.Root.self, on: InputDocument("citm", file: "corpus/citm_catalog.json"))
    compare(GeoJSON.Collection.self, on: InputDocument("canada", file: "corpus/canada.json"))
}

/// Registers both engines for one document, after a comparison of their results.
private func compare<Root: Mapped & Decodable & Equatable & Sendable>(
    _ type: Root.Type, on input: InputDocument?, named name: String? = nil
) {
    guard let input else { return }
    let name = name ?? input.name
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let plan: MappingPlan
    do {
        plan = try MappingPlan(type)
    } catch {
        fatalError("\(name): \(error)")
    }
    let map: @Sendable () throws -> Root = {
        var report = MappingReport()
        return try plan.object(type, from: Document(parsing: input.bytes).root, report: &report)
    }
    let decode: @Sendable () throws -> Root = {
        try decoder.decode(type, from: input.data)
    }
    let prove: @Sendable () throws -> Void = {
        guard try map() == decode() else { throw UnequalObjects(input: name) }
    }
    Benchmark("\(name): RestMapping", configuration: Benchmark.computation) { benchmark in
        try benchmark.measurePass(map)
    } setup: {
        try prove()
    }
    Benchmark("\(name): JSONDecoder", configuration: Benchmark.computation) { benchmark in
        try benchmark.measurePass(decode)
    } setup: {
        try prove()
    }
}

/// Registers the hand-written extraction beside the declared mapping of
/// ``compare(_:on:named:)``.
private func compareReading(on input: InputDocument) {
    let read: @Sendable () throws -> ArticlePage = {
        try ArticlePage(handWritten: Document(parsing: input.bytes).root)
    }
    Benchmark("\(input.name): hand-written", configuration: Benchmark.computation) { benchmark in
        try benchmark.measurePass(read)
    } setup: {
        var report = MappingReport()
        let mapped = try MappingPlan(ArticlePage.self).object(
            ArticlePage.self, from: Document(parsing: input.bytes).root, report: &report)
        guard try read() == mapped else { throw UnequalObjects(input: input.name) }
    }
}

/// Registers both engines for writing; the output of each must read back as the same objects.
private func compareWriting<Root: Mapped & Codable & Equatable & Sendable>(
    _ type: Root.Type, on input: InputDocument, named name: String
) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .withoutEscapingSlashes
    var mapping = RequestMapping(for: type)
    mapping.decimals = .number
    let plan: RequestPlan
    let root: Root
    do {
        plan = try RequestPlan(mapping)
        root = try decoder.decode(type, from: input.data)
    } catch {
        fatalError("\(name): \(error)")
    }
    let prove: @Sendable () throws -> Void = {
        let ours = try decoder.decode(type, from: Data(plan.bytes(of: root)))
        let peers = try decoder.decode(type, from: encoder.encode(root))
        guard ours == root, peers == root else { throw UnequalObjects(input: name) }
    }
    Benchmark("\(name) encode: RestMapping", configuration: Benchmark.computation) { benchmark in
        try benchmark.measurePass { try plan.bytes(of: root) }
    } setup: {
        try prove()
    }
    Benchmark("\(name) encode: JSONEncoder", configuration: Benchmark.computation) { benchmark in
        try benchmark.measurePass { try encoder.encode(root) }
    } setup: {
        try prove()
    }
}

/// An error for engines whose results differ, which makes their times incomparable.
struct UnequalObjects: Error, CustomStringConvertible {
    let input: String

    var description: String { "\(input): the engines make different objects" }
}
