// SPDX-License-Identifier: Apache-2.0

#if Macros && os(Linux)
import Foundation
import TestSupport
import Testing

/// The errors that the compiler reports for declarations that `@Entity` accepts, and for those that
/// it refuses.
@Suite struct CompilerMessageTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let source: String
        let errors: Set<String>

        var testDescription: String { source }
    }

    static let notOptional = "a to-one relationship is optional: write '?' after its type"

    static let notStorable =
        "'managedValue' is unavailable: the type of this property cannot be stored; declare an enum "
        + "': AttributeValue', a Codable type ': JSONAttributeValue', the class of a relationship "
        + "'@Entity', or the property '@MappedIgnored'"

    static let refusals = [
        Refusal(
            source: """
                import RestPersistence
                @Entity final class City: ManagedObject { @Identity var id: Int }
                @Entity final class Airport: ManagedObject { @Identity var id: Int; var city: City }
                """,
            errors: ["'managedValue' is unavailable: \(notOptional)"])
    ]

    /// Types that are neither attributes nor entities: one error for each property.
    @Test(arguments: [
        "Status", "Status?", "[Status]", "Set<Status>", "Status = .open", "Point", "Point?",
        "Person?",
        "Set<Person>", "[String: Status]",
    ])
    func reportsOneErrorForUnstorableType(_ type: String) throws {
        let errors = try SwiftCompiler.errors(
            of: """
                import RestPersistence
                enum Status: String { case open }
                struct Point: Codable, Hashable { var x = 1 }
                final class Person: Hashable {
                    static func == (left: Person, right: Person) -> Bool { true }
                    func hash(into hasher: inout Hasher) {}
                }
                @Entity final class Note: ManagedObject {
                    @Identity var id: Int
                    var value: \(type)
                }
                """)
        #expect(errors == [Self.notStorable])
    }

    @Test(arguments: refusals) func reportsWhatToWrite(_ refusal: Refusal) throws {
        let errors = try SwiftCompiler.errors(in: [:], after: refusal.source)
        #expect(errors.values.reduce(into: []) { $0.formUnion($1) } == refusal.errors)
    }

    /// Classes that `@Entity` refuses, each with the uses that a program makes of it.
    @Test func reportsNoErrorBesideDiagnostic() throws {
        let refused: [String: (members: String, error: String)] = [
            "constant": ("let code: String", "constant 'code' cannot be managed"),
            "lazy": (
                "var code: String; lazy var name: String = makeName()",
                "lazy property 'name' cannot be managed"
            ),
            "observers": (
                "var code: String { didSet {} }", "managed property 'code' cannot have observers"
            ),
            "inverse": (
                "var code: String; @Inverse(\\City.airports) var city: City",
                "'city' cannot have '@Inverse' unless it is optional, because the object of a "
                    + "to-one relationship may be missing"
            ),
            "computed": (
                "var code: String; @Identity var name: String { code }",
                "'@Identity' has no effect here: only stored instance properties are mapped"
            ),
            "length": (
                "var code: String; @MaximumLength(3) var number: Int",
                "'number' cannot have a maximum length; only text can"
            ),
        ]
        let uses = """
            func use(_ airport: Airport, _ context: ManagedObjectContext) throws {
                print(airport.code, try context.fetch(Airport.self, where: { $0.code == "" }))
                print(Airport.entity, try Airport.Values(airport).code, airport.objectID)
                _ = try context.insert(Airport.self)
            }
            func makeName() -> String { "" }
            """
        let snippets = refused.map { name, refusal in
            (
                name,
                """
                enum \(name.capitalized) {
                @Entity final class Airport: ManagedObject { \(refusal.members) }
                @Entity final class City: ManagedObject { var airports: Set<Airport> }
                static \(uses.replacing("\nfunc", with: "\nstatic func"))
                }
                """
            )
        }
        let errors = try SwiftCompiler.errors(
            in: Dictionary(uniqueKeysWithValues: snippets), after: "import RestPersistence")
        #expect(errors == refused.mapValues { [$0.error] })
    }

    @Test func reportsOneErrorOfOtherTypes() throws {
        let errors = try SwiftCompiler.errors(
            in: [
                "struct": "@Entity struct Airport { var code: String }",
                "superclass": "@Entity final class City { var name: String; var mayor: City? }",
                "generic": "@Entity final class Box<Item>: ManagedObject { var name: String }",
            ], after: "import RestPersistence")
        #expect(
            errors == [
                "struct": [
                    "entity 'Airport' must be a class that inherits from 'ManagedObject', not a struct"
                ],
                "superclass": ["entity 'City' must inherit from 'ManagedObject'"],
                "generic": ["entity 'Box' cannot be generic because it is one table"],
            ])
    }

    @Test func acceptsAccessLevelsAndKeywordsInEntities() throws {
        let source = """
            public import RestMapping
            public import RestPersistence

            enum Kind: String, AttributeValue { case plain }
            public enum Breed: String, AttributeValue { case terrier }
            private enum Secret: String, AttributeValue { case hidden }

            @Entity final class Names: ManagedObject {
                var `default`: String
                var into: Int
                var context: String
                var object: Int?
                var type: Kind
                var id: Kind?
            }

            @Entity public class Animal: ManagedObject {
                public var name: String
                var number: Int
                public internal(set) var age: Int
                private var rank: Int = 0
                fileprivate var secret: Secret?
                private var secrets: [Secret] = []
                public var breeds: [Breed] = []
            }

            @Entity open class Plant: ManagedObject {
                public var name: String
                public var neighbor: Plant?
                open var size: Int = 1
                private var key: String
            }

            @Entity public final class Tree: Plant {
                public var breed: Breed
                public var trees: [Plant]
            }

            public enum Outer {
                fileprivate enum Hidden: String, AttributeValue { case hidden }
                @Entity final class Inner: ManagedObject {
                    fileprivate var hidden: Hidden
                    var other: Inner?
                }
            }

            func use(_ context: ManagedObjectContext) throws {
                let tree = try Tree.insert(into: context, breed: .terrier)
                let values = try Tree.Values(tree)
                print(values.breed, values.name, values.neighbor as Any)
                let names = try Names.insert(
                    into: context, default: "", into: 3, context: "", type: .plain)
                print(try Names.Values(names).default, try Names.Values(names).id as Any)
            }
            """
        #expect(try SwiftCompiler.errors(in: [:], after: source) == [:])
    }

    @Test func valuesHaveStoredPropertiesOnly() throws {
        let declarations = """
            import RestMapping
            import RestPersistence
            enum Kind: String, AttributeValue { case civil }
            @Entity final class Airport: ManagedObject {
                var code: String
                var kinds: [Kind]
                var stops: [Stop]
            }
            @Entity final class Stop: ManagedObject {
                var airport: Airport?
            }
            extension Airport { var title: String { code } }
            """
        let errors = try SwiftCompiler.errors(
            in: [
                "stored": "func f(_ v: Airport.Values) -> (String, [Kind]) { (v.code, v.kinds) }",
                "relation": "func f(_ v: Stop.Values) -> ManagedObjectID? { v.airport }",
                "computed": "func f(_ v: Airport.Values) { print(v.title) }",
                "toMany": "func g(_ v: Airport.Values) { print(v.stops) }",
            ], after: declarations)
        #expect(Set(errors.keys) == ["computed", "toMany"])
        let computed =
            "value of type 'Airport.Values' has no dynamic member 'title' using key path from root "
            + "type 'Airport.Values.Fields'"
        #expect(errors["computed"]?.contains(computed) == true)
        let toMany =
            "referencing subscript 'subscript(dynamicMember:)' on 'Array' requires that 'Stop' "
            + "conform to 'AttributeValue'"
        #expect(errors["toMany"] == [toMany])
    }
}
#endif
