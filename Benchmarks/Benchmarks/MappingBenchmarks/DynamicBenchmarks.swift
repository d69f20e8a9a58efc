// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import RestDocument
import RestMapping

/// Benchmarks of a dynamic mapping that chooses by the kind of an article, beside a static one.
func compareDynamic(on collection: InputDocument, kindCount: Int) {
    let input: Document
    let fixed: MappingPlan
    let dynamic: MappingPlan
    do {
        input = try articles(of: Document(parsing: collection.bytes), kindCount: kindCount)
        let mapping = ObjectMapping(for: Article.self)
        fixed = try MappingCompiler().compile(mapping)
        dynamic = try MappingCompiler().compile(
            DynamicMapping(
                (0..<kindCount).map { kind in
                    MappingMatcher(at: "kind", equals: .string("k\(kind)"), mapping: mapping)
                }))
    } catch {
        fatalError("\(collection.name): \(error)")
    }
    let bytes = JSONWriter.compact.bytes(of: input.root)
    let name = "\(collection.name) of \(kindCount) kinds"
    measure("\(name): DynamicMapping", bytes, dynamic)
    measure("\(name): ObjectMapping", bytes, fixed)
}

private func measure(_ name: String, _ bytes: [UInt8], _ plan: MappingPlan) {
    let map: @Sendable () throws -> [Article] = {
        var report = MappingReport()
        return try plan.objects(
            Article.self, from: Document(parsing: bytes).root, report: &report)
    }
    Benchmark(name, configuration: Benchmark.computation) { benchmark in
        try benchmark.measurePass(map)
    } setup: {
        guard try map().count == 1000 else { throw UnequalObjects(input: name) }
    }
}

private func articles(of page: Document, kindCount: Int) throws -> Document {
    var builder = DocumentBuilder()
    builder.beginArray()
    for (position, article) in (page.root["data"]?.elements ?? page.root.elements).enumerated() {
        builder.beginObject()
        builder.key("kind")
        builder.string("k\(position % kindCount)")
        for (key, value) in article.members {
            builder.key(key)
            builder.value(value)
        }
        builder.end()
    }
    builder.end()
    return builder.finish()
}
