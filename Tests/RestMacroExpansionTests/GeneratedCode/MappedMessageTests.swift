// SPDX-License-Identifier: Apache-2.0

#if Macros && os(Linux)
import TestSupport
import Testing

/// The errors that the compiler reports for declarations that `@Mapped` accepts, and for those that it
/// refuses.
@Suite struct MappedMessageTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let source: String
        /// The messages, each with its line if the error is in the source rather than in an expansion.
        let errors: [String]

        var testDescription: String { source }
    }

    static let notMappable =
        "'write' is unavailable: the type of this property cannot be mapped; declare an enum "
        + "': MappableValue', a Codable type ': MappableCodable', another structure or class "
        + "'@Mapped', or the property '@MappedIgnored'"

    static let refusals = [
        Refusal(
            source: """
                import RestMapping
                enum Status: String { case open }
                struct Settings: Codable { var depth = 1 }
                @Mapped struct Article {
                    let id: Int
                    var status: Status
                    @MappedKey("previous_status") var previous: Status?
                    var history: [Status] = []
                    @MappedPolicy(.lenient) var last: Status?
                    var settings = Settings()
                }
                @Mapped final class Author {
                    var status: Status = .open
                    var settings: Settings?
                    var articles: [Article] = []
                }
                @Mapped class Editor<Team> {
                    var team: Team?
                }
                """,
            errors: [6, 7, 8, 9, 10, 13, 14, 18].map { "\($0): \(notMappable)" }),
        Refusal(
            source: """
                import RestMapping
                @Mapped struct Article { @MappedKey("a[") var title: String? }
                """,
            errors: ["2: the source key is not a path: it requires ']' after '['"]),
        // A refused type can be used without further errors.
        Refusal(
            source: """
                import RestDocument
                import RestMapping
                @Mapped struct Article {
                    let id: Int
                    let number = 1
                    var author: Author?
                }
                @Mapped @MainActor final class Author {
                    var name = ""
                }
                @Mapped class Animal {
                    var tags = makeTags()
                }
                @Mapped class Dog: Animal {
                    var articles: [Article] = []
                }
                @Mapped @MainActor public class Place {
                    var name = ""
                }
                func makeTags() -> [String] { Animal().tags + Dog().tags }
                func read(_ document: Document) throws -> any Mapped {
                    let mapping = ObjectMapping(for: Article.self) { attribute("no", to: \\.number) }
                    let plan = try MappingCompiler().compile(mapping)
                    _ = try plan.object(Dog.self, from: document.root)
                    return try plan.object(updating: Article(id: 1), from: document.root)
                }
                """,
            errors: [
                "5: constant 'number' has an initial value and cannot be mapped",
                "8: '@Mapped' runs outside of the main actor, to which 'Author' is isolated",
                "12: property 'tags' requires a type annotation",
                "17: '@Mapped' runs outside of the main actor, to which 'Place' is isolated",
            ]),
        Refusal(
            source: """
                import RestMapping
                @Mapped struct Article {
                    var id: Int
                    enum Draft { case first }
                    static let properties = [1]
                }
                """,
            errors: [
                "4: '@Mapped' generates 'Draft', which this type already declares",
                "5: '@Mapped' generates 'properties', which this type already declares",
            ]),
        // A key path that captures an object would carry it to other tasks.
        Refusal(
            source: """
                import RestMapping
                final class Counter: Hashable {
                    var value = 0
                    static func == (left: Counter, right: Counter) -> Bool { left === right }
                    func hash(into hasher: inout Hasher) {}
                }
                struct Article {
                    subscript(counter: Counter) -> Int { counter.value }
                    subscript(number: Int) -> Int { number }
                }
                func properties(_ counter: Counter) -> [Property] {
                    [
                        Property("first", \\Article[1], Int.self),
                        Property("second", \\Article[counter], Int.self),
                    ]
                }
                """,
            errors: [
                "14: type 'KeyPath<Article, Int>' does not conform to the 'Sendable' protocol"
            ]),
        Refusal(
            source: """
                import RestMapping
                @Mapped struct User { var name = "" }
                @Mapped struct Article { var user = User(); var tags = [String]() }
                """,
            errors: []),
    ]

    @Test(arguments: refusals) func reportsOneErrorAtProperty(_ refusal: Refusal) throws {
        #expect(try SwiftCompiler.errors(of: refusal.source) == refusal.errors)
    }
}
#endif
