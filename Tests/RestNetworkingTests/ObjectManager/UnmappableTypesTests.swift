// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

/// The error that the compiler reports for each call with a type without `@Mapped`.
@Suite struct UnmappableTypesTests {
    private static let declaration =
        "; declare the structure or class '@Mapped' or ': Codable', or an enum ': MappableValue'"
    private static let value =
        "the type of the value or of the objects can be neither mapped nor decoded\(declaration)"
    private static let object =
        "the type of the object or of the value can be neither mapped nor coded\(declaration)"

    @Test func callsSayWhatToDeclare() throws {
        let calls = [
            "one": (
                #"let _: Article = try await api.get("articles/1")"#,
                Self.value
            ),
            "several": (
                #"let _: [Article] = try await api.get("articles")"#,
                Self.value
            ),
            "objects": (
                #"_ = try await api.getObjects(Article.self, at: "articles")"#,
                Self.value
            ),
            "pages": (
                #"_ = api.pages(of: Article.self, at: "articles", by: .linkHeader)"#,
                Self.value
            ),
            "posted": ("try await api.post(article)", Self.object),
            "put": (#"try await api.put(article, at: "articles/1")"#, Self.object),
            "deleted": ("try await api.delete(article)", Self.object),
            "descriptor": (
                #"try api.add(ResponseDescriptor(Article.self, at: "articles"))"#,
                "the type has no mapping; declare the structure or class '@Mapped' or ': Codable'"
            ),
        ]
        let errors = try SwiftCompiler.errors(
            in: calls.mapValues { call, _ in
                "func f\(abs(call.hashValue))(_ api: ObjectManager, _ article: Article) async throws { \(call) }"
            },
            after: """
                import RestMapping
                import RestNetworking
                struct Article { var id = 1 }
                """)
        #expect(Set(errors.keys) == Set(calls.keys))
        for (name, messages) in errors {
            let expected = try #require(calls[name]?.1)
            #expect(
                messages.count == 1 && messages.first?.hasSuffix(expected) == true,
                "\(name): \(messages)")
        }
    }
}
#endif
