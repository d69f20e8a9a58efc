// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// Up to ten million containers inside each other, on a thread with a stack of 64 KiB.
@Suite(.tags(.slow)) struct DeepNestingTests {
    static let depth = 10_000_000

    @Test func survivesArrays() async throws {
        try await onSmallStack {
            let text =
                [UInt8](repeating: UInt8(ascii: "["), count: Self.depth)
                + [UInt8](repeating: UInt8(ascii: "]"), count: Self.depth)
            let document = try Document(parsing: text, limits: .none)
            #expect(document.root.count == 1)
            #expect(JSONWriter.compact.bytes(of: document) == text)
        }
    }

    @Test func survivesObjects() async throws {
        try await onSmallStack {
            let depth = 20_000
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

    @Test func indentsInProportion() async throws {
        try await onSmallStack {
            let text =
                String(repeating: "[", count: 10_000) + "1" + String(repeating: "]", count: 10_000)
            let document = try Document(parsing: text, limits: .none)
            let pretty = JSONWriter.pretty.bytes(of: document)
            #expect(pretty.count < 20_001 * 130)
            #expect(try Document(parsing: pretty, limits: .none) == document)
        }
    }

    @Test func refusesWithoutLosingItsWay() async throws {
        try await onSmallStack {
            let depth = 1_000_000
            let text = [UInt8](repeating: UInt8(ascii: "["), count: depth)
            let error = #expect(throws: DocumentError.self) {
                try Document(parsing: text, limits: .none)
            }
            #expect(error?.code == .unexpectedEnd)
            #expect(error?.offset == depth)
            #expect(error?.path.components.count == 512)
            #expect(error.map { $0.description.utf8.count < 300 } == true)
        }
    }

    /// Runs a closure on a thread of its own and waits for it.
    private func onSmallStack(_ body: @escaping @Sendable () throws -> Void) async throws {
        let result = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Result(catching: body)) }
            thread.stackSize = 1 << 16
            thread.start()
        }
        try result.get()
    }
}
