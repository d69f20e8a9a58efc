// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct ResponseDescriptorIndexTests {
    @Test func listsDescriptorsInOrder() {
        let descriptors = ["a", "b", "c"].map { ResponseDescriptor(Article.self, at: $0) }
        var index = ResponseDescriptorIndex(Array(descriptors[..<2]))
        index.append([descriptors[2], descriptors[0]])
        #expect(index.descriptors == descriptors + [descriptors[0]])
        index.removeAll { $0 == descriptors[0] }
        #expect(index.descriptors == [descriptors[1], descriptors[2]])
    }

    @Test func doesNotFindRemovedDescriptor() throws {
        let descriptors = ["a", "b", nil].map { ResponseDescriptor(Article.self, at: $0) }
        var index = ResponseDescriptorIndex(descriptors)
        let location = try location("http://base/b")
        #expect(
            index.descriptors(at: location, method: .get, status: 200)
                == [descriptors[2], descriptors[1]])
        index.removeAll { $0.path == "b" }
        #expect(index.descriptors(at: location, method: .get, status: 200) == [descriptors[2]])
    }

    @Test func neverFindsInvalidDescriptor() throws {
        let invalid = ResponseDescriptor(Article.self, at: "a/:b:c")
        let index = ResponseDescriptorIndex([invalid])
        #expect(index.descriptors == [invalid])
        let found = index.descriptors(
            at: try location("http://base/a/1"), method: .get, status: 200)
        #expect(found.isEmpty)
    }

    @Test(arguments: [3, 40])
    func findsDescriptorsOfType(countOfEachType: Int) throws {
        // With few descriptors of a type, they are compared one by one.
        let articles = (0..<countOfEachType).map {
            ResponseDescriptor(Article.self, at: "a/\($0)", methods: .get)
        }
        let authors = (0..<countOfEachType).map { ResponseDescriptor(Author.self, at: "a/\($0)") }
        let both = ResponseDescriptor(
            DynamicMapping([
                MappingMatcher(
                    at: "kind", equals: "a", mapping: ObjectMapping(for: Article.self)),
                MappingMatcher(at: "kind", equals: "b", mapping: ObjectMapping(for: Author.self)),
            ]))
        let index = ResponseDescriptorIndex(articles + authors + [both])
        let expected = ResponseDescriptor(Article.self)
        for position in articles.indices {
            let found = index.descriptors(
                at: try location("http://base/a/\(position)"), method: .get, status: 200,
                describing: expected)
            #expect(found == [both, articles[position]])
        }
        let posted = index.descriptors(
            at: try location("http://base/a/0"), method: .post, status: 200, describing: expected)
        #expect(posted == [both])
        let missing = index.descriptors(
            at: try location("http://base/a/0"), method: .get, status: 404, describing: expected)
        #expect(missing.isEmpty)
        #expect(!index.descriptors(declaring: expected).isEmpty)
        #expect(index.descriptors(declaring: ResponseDescriptor(Refusal.self)).isEmpty)
    }

    /// The index finds what comparing every descriptor finds, for random descriptors and URLs.
    @Test func findsSameDescriptorsAsComparison() throws {
        var random = SeededGenerator(seed: 6)
        let bases = try ["http://base/", "http://base/v1/", "http://other/"].map {
            try HTTPURL(parsing: $0)
        }
        var matchCount = 0
        for _ in 0..<60 {
            let descriptors = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                var descriptor = ResponseDescriptor(
                    Article.self, at: randomPattern(using: &random),
                    methods: randomMethods(using: &random),
                    statusCodes: Bool.random(using: &random) ? nil : .successful)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    descriptor.baseURL = bases.randomElement(using: &random)
                }
                return descriptor
            }
            let index = ResponseDescriptorIndex(descriptors)
            for _ in 0..<40 {
                let base = bases.randomElement(using: &random)
                let path = randomPath(using: &random)
                let url = try #require(bases.randomElement(using: &random)).resolving("./" + path)
                let location = RequestedLocation(url: url, baseURL: base)
                let method = [HTTPRequest.Method.get, .post].randomElement(using: &random) ?? .get
                let status = [200, 404].randomElement(using: &random) ?? 200
                let compared = descriptors.reversed().filter { descriptor in
                    descriptor.diagnostics.isEmpty && descriptor.matches(location)
                        && descriptor.matches(method: method)
                        && descriptor.matches(status: status)
                }
                let found = index.descriptors(at: location, method: method, status: status)
                #expect(found == compared, "\(url.text) of \(descriptors)")
                matchCount += found.count
            }
        }
        #expect(matchCount > 1000)
    }

    private func location(_ url: String) throws -> RequestedLocation {
        try RequestedLocation(
            url: HTTPURL(parsing: url), baseURL: HTTPURL(parsing: "http://base/"))
    }

    private func randomMethods(using random: inout SeededGenerator) -> MethodSet {
        [MethodSet.any, .get, .post, [.get, .post]].randomElement(using: &random) ?? .any
    }

    private func randomPattern(using random: inout SeededGenerator) -> String? {
        let segments = ["a", "b", "", "ab", ":x", ":y", #":x\.a"#, "a:x", "a-:x-b", "v1"]
        guard Int.random(in: 0..<10, using: &random) > 0 else { return nil }
        return (0..<Int.random(in: 1...4, using: &random))
            .map { _ in segments.randomElement(using: &random) ?? "" }.joined(separator: "/")
    }

    private func randomPath(using random: inout SeededGenerator) -> String {
        let segments = ["a", "b", "ab", "a.a", "a-a-b", "v1", "", "x%20y"]
        return (0..<Int.random(in: 1...4, using: &random))
            .map { _ in segments.randomElement(using: &random) ?? "" }.joined(separator: "/")
    }
}
