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

    struct WrongProperty: Sendable, CustomTestStringConvertible {
        let attribute: String
        let error: String
        var relationship = "var gates: Set<Gate>"

        var testDescription: String { "\(attribute) \(relationship)" }
    }

    static let doesNotLeadBack =
        "'inverse(leadingTo:)' is unavailable: the inverse must be a relationship of the destination "
        + "that leads back to the class that declares it"

    static let noAttribute =
        "'referenceAttribute()' is unavailable: a reference is by an attribute of the destination, not "
        + "by another property"

    static let wrongProperties = [
        // The compiler checks a key path in the attribute.
        WrongProperty(
            attribute: #"@Inverse(\Gate.airprot)"#,
            error: "reference to member 'airprot' cannot be resolved without a contextual type"),
        WrongProperty(
            attribute: #"@Inverse("airprot")"#,
            error: "value of type 'Gate' has no member 'airprot'"),
        WrongProperty(attribute: #"@Inverse(\Gate.id)"#, error: doesNotLeadBack),
        WrongProperty(attribute: #"@Inverse("id")"#, error: doesNotLeadBack),
        WrongProperty(attribute: #"@Inverse(\Gate.city)"#, error: doesNotLeadBack),
        WrongProperty(
            attribute: #"@Inverse("cities")"#, error: doesNotLeadBack,
            relationship: "var gate: Gate?"),
        WrongProperty(
            attribute: #"@Reference(by: \Gate.idd)"#,
            error: "reference to member 'idd' cannot be resolved without a contextual type"),
        WrongProperty(
            attribute: #"@Connected("gate", by: \Gate.city)"#, error: noAttribute,
            relationship: "var gate: Gate?"),
        WrongProperty(attribute: #"@Reference(by: \Gate.cities)"#, error: noAttribute),
    ]

    /// A property of the destination that the compiler refuses: one error, at the attribute.
    @Test(arguments: wrongProperties)
    func reportsWrongPropertyAtAttribute(_ wrong: WrongProperty) throws {
        let errors = try SwiftCompiler.errors(
            of: """
                import RestPersistence
                @Entity final class City: ManagedObject { @Identity var id: Int }
                @Entity final class Gate: ManagedObject {
                    @Identity var id: Int
                    var airport: Airport?
                    var city: City?
                    var cities: [City]
                }
                @Entity final class Airport: ManagedObject {
                    @Identity var id: Int

                    \(wrong.attribute) \(wrong.relationship)
                }
                """)
        #expect(errors == ["12: \(wrong.error)"])
    }

    /// Inverses in hierarchies, of the class itself, by name and by key path.
    @Test(arguments: [
        #"@Inverse(\Gate.airport) var gates: Set<Gate>"#,
        #"@Inverse("owners") var gates: [Gate]"#,
        #"@Inverse("next") var last: Airport?; var next: Airport?"#,
        #"@Inverse(\Door.leadsTo) var doors: [Door]"#,
        #"@Inverse(\Models.Sign.airport) var signs: Set<Models.Sign>"#,
        #"@Inverse("default") var sign: Models.Sign?"#,
        #"@Reference(by: \Gate.id) @Inverse(\Gate.airport) var gates: Set<Gate>"#,
        #"@Connected("signs", by: \Models.Sign.text) var signs: [Models.Sign]"#,
    ])
    func acceptsInverseThatLeadsBack(_ member: String) throws {
        let source = """
            import RestPersistence
            @Entity class Gate: ManagedObject {
                @Identity var id: Int
                var airport: Airport?
                var owners: Set<Airport>
                var leadsTo: Airport?
            }
            @Entity final class Door: Gate {}
            enum Models {
                @Entity final class Sign: ManagedObject {
                    var airport: Airport?
                    var `default`: Airport?
                    var text: String?
                }
            }
            @Entity class Airport: ManagedObject { \(member) }
            @Entity final class Heliport: Airport { var pads: Int }
            """
        #expect(try SwiftCompiler.errors(in: [:], after: source) == [:])
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
