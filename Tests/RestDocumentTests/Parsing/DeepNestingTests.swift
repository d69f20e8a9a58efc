// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// Nesting of ten million containers, on a thread with a stack of 64 KiB.
@Suite(.tags(.slow), .withoutSanitizer) struct DeepNestingTests {
    static let depth = 10_000_000

    @Test(.threat("T01")) func parsesDeepArrays() async throws {
        try await onStack(of: 64 << 10) {
            let text =
                [UInt8](repeating: UInt8(ascii: "["), count: Self.depth)
                + [UInt8](repeating: UInt8(ascii: "]"), count: Self.depth)
            let peak = PeakMemory()
            var document: Document? = try Document(parsing: text, limits: .none)
            // 16 bytes for each level, half as much again reserved, and the text.
            if let grown = peak?.growth { #expect(grown < 24 * Self.depth + 2 * text.count) }
            try #require(document?.root.count == 1)
            #expect(document.map { JSONWriter.compact.bytes(of: $0) == text } == true)
            // Releasing the document is part of the test.
            document = nil
        }
    }

    @Test(.threat("T01"), arguments: [#"{"k":"#, #"[{"k":"#, "["])
    func rejectsUnclosedContainers(_ open: String) async throws {
        try await onStack(of: 64 << 10) {
            let levels = Self.depth / open.utf8.count
            let text = Array(String(repeating: open, count: levels).utf8)
            let peak = PeakMemory()
            let error = #expect(throws: DocumentError.self) {
                try Document(parsing: text, limits: .none)
            }
            if let grown = peak?.growth { #expect(grown < 25 * text.count) }
            #expect(error?.code == .unexpectedEnd)
            #expect(error?.offset == text.count)
            #expect(error?.path.components.count == 512)
            #expect(error.map { $0.description.utf8.count < 600 } == true)
        }
    }

    @Test(.threat("T01")) func parsesDeepObjects() async throws {
        try await onStack(of: 64 << 10) {
            let depth = 100_000
            let text =
                String(repeating: #"{"k":[{},"#, count: depth) + "1"
                + String(repeating: "]}", count: depth)
            let document = try Document(parsing: text, limits: .none)
            #expect(JSONWriter.compact.text(of: document) == text)
            #expect(JSONWriter(sortsKeys: true).text(of: document) == text)
            #expect(document.issues.isEmpty)
            let copy = try Document(parsing: text, limits: .none)
            #expect(copy == document)
            #expect(copy.hashValue == document.hashValue)
            let last = Node(storage: document.storage, index: document.storage.nodeCount - 1)
            #expect(last.path.components.count == 2 * depth)
            var builder = DocumentBuilder()
            builder.value(document)
            #expect(builder.finish().storage.nodeCount == document.storage.nodeCount)
        }
    }

    @Test(.threat("T01")) func buildsAndWritesDeepDocuments() async throws {
        try await onStack(of: 64 << 10) {
            let depth = 1_000_000
            var builder = DocumentBuilder()
            for level in 0..<depth {
                if level % 2 == 0 { builder.beginArray() } else { builder.beginObject() }
                if level % 2 == 1 { builder.key("k") }
            }
            builder.null()
            for _ in 0..<depth { builder.end() }
            let document = builder.finish()
            let text = JSONWriter.compact.bytes(of: document)
            #expect(text.count == depth / 2 * 8 + 4)
            #expect(JSONWriter(sortsKeys: true).bytes(of: document) == text)
            let copy = try Document(parsing: text, limits: .none)
            #expect(copy == document)
        }
    }

    @Test func indentationIsProportional() async throws {
        try await onStack(of: 64 << 10) {
            let text =
                String(repeating: "[", count: 10_000) + "1" + String(repeating: "]", count: 10_000)
            let document = try Document(parsing: text, limits: .none)
            let pretty = JSONWriter.pretty.bytes(of: document)
            #expect(pretty.count < 20_001 * 130)
            #expect(try Document(parsing: pretty, limits: .none) == document)
        }
    }
}

/// The peak memory of the process since creation, if the kernel reports it.
private struct PeakMemory {
    private let start: Int

    /// Creates a measurement and resets earlier peaks.
    init?() {
        do {
            let control = try FileHandle(
                forWritingTo: URL(fileURLWithPath: "/proc/self/clear_refs"))
            try control.write(contentsOf: Data("5".utf8))
            try control.close()
        } catch {
            return nil
        }
        guard let start = Self.bytes("VmRSS") else { return nil }
        self.start = start
    }

    /// The growth of the peak in bytes.
    var growth: Int? { Self.bytes("VmHWM").map { $0 - start } }

    private static func bytes(_ name: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return nil }
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
            .map { $0 * 1024 }
    }
}
