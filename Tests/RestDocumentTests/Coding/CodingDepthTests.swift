// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// Recursive types on a thread with a stack of 512 KiB.
@Suite(.withoutSanitizer) struct CodingDepthTests {
    final class Link: Codable {
        var next: Link?
        init(_ next: Link?) { self.next = next }
    }

    struct Tree: Codable {
        var name: String
        var id: Int
        var trees: [Tree]
        var byName: [String: Tree]?
    }

    /// A type that decodes itself from the same value endlessly.
    struct Endless: Codable {
        init() {}
        init(from decoder: any Decoder) throws {
            self = try decoder.singleValueContainer().decode(Endless.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    /// Nested arrays.
    struct Nest: Codable {
        let inner: [Nest]
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            var inner: [Nest] = []
            while !container.isAtEnd { inner.append(try container.decode(Nest.self)) }
            self.inner = inner
        }
    }

    @Test(.threat("T01")) func limitsDepthOfDecoding() async throws {
        try await onStack(of: 512 << 10) {
            let brackets =
                String(repeating: "[", count: 10_000_000)
                + String(repeating: "]", count: 10_000_000)
            let nest = #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode(
                    Nest.self, from: Document(parsing: brackets, limits: .none))
            }
            #expect(nest?.code == .limitExceeded)
            #expect(nest?.expected.contains("512") == true)
            #expect(nest?.offset == nest?.path.components.count)
            // A value that the type does not read may be nested to any depth.
            let ignored = try DocumentDecoder().decode(
                Link.self,
                from: Document(parsing: "{\"other\":\(brackets)}", limits: .none))
            #expect(ignored.next == nil)
            let deep = 100_000
            let links =
                String(repeating: #"{"next":"#, count: deep) + "{}"
                + String(repeating: "}", count: deep)
            let link = #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode(
                    Link.self, from: Document(parsing: links, limits: .none))
            }
            #expect(link?.code == .limitExceeded)
            #expect(link.map { (40...512).contains($0.path.components.count) } == true)
            let trees =
                String(
                    repeating: #"{"name":"","id":1,"byName":{"a":{"name":"","id":2,"trees":["#,
                    count: deep)
                + "1" + String(repeating: "]}}}", count: deep)
            let missing = #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode(
                    Tree.self, from: Document(parsing: trees, limits: .none))
            }
            #expect(missing?.code == .notDecodable)
            let nested =
                String(repeating: #"{"name":"","id":1,"trees":["#, count: deep)
                + String(repeating: "]}", count: deep)
            let tree = #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode(
                    Tree.self, from: Document(parsing: nested, limits: .none))
            }
            #expect(tree?.code == .limitExceeded)
            let endless = #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode([Endless].self, from: Array("[1]".utf8))
            }
            #expect(endless?.code == .limitExceeded)
            #expect(endless?.path.description == "[0]")
        }
    }

    @Test(.threat("T01")) func limitsDepthOfEncoding() async throws {
        try await onStack(of: 512 << 10) {
            let endless = #expect(throws: DocumentError.self) {
                try DocumentEncoder().bytes(of: ["k": [Endless()]])
            }
            #expect(endless?.code == .limitExceeded)
            #expect(endless?.path.description == "k[0]")
            let ring = Link(nil)
            ring.next = ring
            let error = #expect(throws: DocumentError.self) { try DocumentEncoder().encode(ring) }
            ring.next = nil
            #expect(error?.code == .limitExceeded)
            #expect(error.map { (40...512).contains($0.path.components.count) } == true)
        }
    }

    @Test(.threat("T01")) func codesUpToDepthLimit() async throws {
        try await onStack(of: 512 << 10) {
            var (encoder, decoder) = (DocumentEncoder(), DocumentDecoder())
            (encoder.depthLimit, decoder.depthLimit) = (40, 40)
            var link: Link?
            for _ in 0..<40 { link = Link(link) }
            let document = try encoder.encode(link)
            let back = try decoder.decode(Link?.self, from: document)
            #expect(try encoder.encode(back) == document)
            (encoder.depthLimit, decoder.depthLimit) = (39, 39)
            let writing = #expect(throws: DocumentError.self) { try encoder.encode(link) }
            #expect(writing?.path.components.count == 39)
            let reading = #expect(throws: DocumentError.self) {
                try decoder.decode(Link.self, from: document)
            }
            #expect(reading?.path.components.count == 39)
        }
    }
}
