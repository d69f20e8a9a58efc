// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct EntityDeclarationTests {
    static let cases: [DiagnosticCase] = [
        DiagnosticCase(
            source: "@Entity enum Airport {\n}",
            message:
                "'@Entity' can only be applied to subclasses of 'ManagedObject', not to an enum",
            line: 1, column: 9),
        DiagnosticCase(
            source: "@Entity public struct Airport: Named {\n}",
            message: "entity 'Airport' must be a class that inherits from 'ManagedObject', "
                + "not a struct",
            line: 1, column: 16, fixIts: ["change to a class that inherits from 'ManagedObject'"],
            fixed: "@Entity public final class Airport: ManagedObject, Named {\n}"),
        DiagnosticCase(
            source: "@Entity struct Airport {\n}",
            message: "entity 'Airport' must be a class that inherits from 'ManagedObject', "
                + "not a struct",
            line: 1, column: 9, fixIts: ["change to a class that inherits from 'ManagedObject'"],
            fixed: "@Entity final class Airport: ManagedObject {\n}"),
        DiagnosticCase(
            source: "@Entity(keys: style) final class Airport: ManagedObject {\n}",
            message: "the key style must be one of '.asDeclared', '.snakeCase', "
                + "'.kebabCase', '.pascalCase'",
            line: 1, column: 15),
        DiagnosticCase(
            source: "@Entity final class Airport {\n}",
            message: "entity 'Airport' must inherit from 'ManagedObject'",
            line: 1, column: 21, fixIts: ["inherit from 'ManagedObject'"],
            fixed: "@Entity final class Airport: ManagedObject {\n}"),
        DiagnosticCase(
            source: "@Entity final class Airport: Identifiable {\n}",
            message: "entity 'Airport' must inherit from 'ManagedObject'",
            line: 1, column: 21, fixIts: ["inherit from 'ManagedObject'"],
            fixed: "@Entity final class Airport: ManagedObject, Identifiable {\n}"),
        DiagnosticCase(
            source: "@Entity final class Airport<Code>: ManagedObject {\n}",
            message: "entity 'Airport' cannot be generic because it is one table",
            line: 1, column: 28),
        DiagnosticCase(
            member: "static let entity = makeEntity()",
            message: "'@Entity' generates 'entity', which this type already declares",
            column: 5),
        DiagnosticCase(
            member: "struct Values {}",
            message: "'@Entity' generates 'Values', which this type already declares",
            column: 5),
        DiagnosticCase(
            member: "var values: Values",
            message: "the type of 'values' is shadowed by the generated type 'Values'; declare a "
                + "type alias with another name for it",
            column: 17),
        DiagnosticCase(
            member: "@Indexed var isDeleted: Bool",
            message:
                "'isDeleted' is a property of 'ManagedObject'; choose another name and give the "
                + "key by '@MappedKey(\"isDeleted\")'",
            column: 18),
        DiagnosticCase(
            member: "var name = makeName()",
            message: "property 'name' requires a type annotation",
            column: 9, fixIts: ["add ': <#Type#>'"], fixed: "var name: <#Type#> = makeName()"),
        DiagnosticCase(
            member: "let name: String",
            message: "constant 'name' cannot be managed",
            column: 9, fixIts: ["change 'let' to 'var'"], fixed: "var name: String"),
        DiagnosticCase(
            member: "lazy var name: String = makeName()",
            message: "lazy property 'name' cannot be managed",
            column: 5, fixIts: ["remove 'lazy'", "add '@MappedIgnored'"],
            fixed: "var name: String = makeName()"),
        DiagnosticCase(
            member: "weak var city: City?",
            message: "weak property 'city' cannot be managed",
            column: 5, fixIts: ["remove 'weak'", "add '@MappedIgnored'"],
            fixed: "@MappedIgnored weak var city: City?", applied: "add '@MappedIgnored'"),
        DiagnosticCase(
            member: "var name: String = \"\" { didSet {} }",
            message: "managed property 'name' cannot have observers",
            column: 27, fixIts: ["remove the observers"], fixed: "var name: String = \"\""),
        DiagnosticCase(
            member: "var name: String { willSet {} }",
            message: "managed property 'name' cannot have observers",
            column: 22, fixIts: ["remove the observers"], fixed: "var name: String"),
        DiagnosticCase(
            member: "var first: String, last: String",
            message: "declare each managed property separately",
            column: 9, more: [24]),
        DiagnosticCase(
            member: "var id: UUID = UUID()",
            message: "the default value of 'id' is evaluated once for all objects; remove it and "
                + "set the property where an object is inserted",
            column: 20, fixIts: ["remove the default value"], fixed: "var id: UUID"),
        DiagnosticCase(
            member: "var createdAt: Date? = .now",
            message:
                "the default value of 'createdAt' is evaluated once for all objects; remove it "
                + "and set the property where an object is inserted",
            column: 28, fixIts: ["remove the default value"], fixed: "var createdAt: Date?"),
        DiagnosticCase(
            member: "@Inverse(\\City.mayor) var name: String?",
            message: "'name' cannot have '@Inverse' because it is not a relationship, which is an "
                + "optional, an array or a 'Set' of entities",
            column: 5, fixIts: ["remove '@Inverse'"], fixed: "var name: String?"),
        DiagnosticCase(
            member: "@DeleteRule(.cascade) var codes: [String]",
            message: "'codes' cannot have '@DeleteRule' because it is not a relationship, which is "
                + "an optional, an array or a 'Set' of entities",
            column: 5, fixIts: ["remove '@DeleteRule'"], fixed: "var codes: [String]"),
        DiagnosticCase(
            member: "@Inverse(\\City.airports) var city: City",
            message: "'city' cannot have '@Inverse' unless it is optional, because the object of a "
                + "to-one relationship may be missing",
            column: 5, fixIts: ["replace with 'City?'", "remove '@Inverse'"],
            fixed: "@Inverse(\\City.airports) var city: City?"),
        DiagnosticCase(
            member: "@Inverse(\\.airport) var terminals: Set<Terminal>",
            message: "the inverse must be a key path with a root type, such as "
                + "'\\Terminal.airport', or the name of a property",
            column: 14),
        DiagnosticCase(
            member: "@Inverse(\\City.airport) var terminals: Set<Terminal>",
            message: "the key path must begin with 'Terminal', the type of the destination of "
                + "'terminals', not with 'City'",
            column: 14, fixIts: ["replace with '\\Terminal.airport'"],
            fixed: "@Inverse(\\Terminal.airport) var terminals: Set<Terminal>"),
        DiagnosticCase(
            member: "@Inverse(\\Terminal.airport.name) var terminal: Models.Terminal?",
            message: "the key path must begin with 'Terminal', the type of the destination of "
                + "'terminal', not with 'Terminal.airport'",
            column: 14, fixIts: ["replace with '\\Models.Terminal.name'"],
            fixed: "@Inverse(\\Models.Terminal.name) var terminal: Models.Terminal?"),
        DiagnosticCase(
            member: "@Inverse(\"terminal.airport\") var terminals: [Terminal]",
            message: "the inverse must be a key path with a root type, such as "
                + "'\\Terminal.airport', or the name of a property",
            column: 14),
        DiagnosticCase(
            member: "@Inverse(\\Airport.partners) var partners: [Airport]",
            message: "a relationship that is its own inverse must use its name: "
                + "'@Inverse(\"partners\")'",
            column: 14, fixIts: ["replace with '\"partners\"'"],
            fixed: "@Inverse(\"partners\") var partners: [Airport]"),
        DiagnosticCase(
            member: "@Identity @Inverse(\\City.mayor) var city: City?",
            message: "'@Identity' cannot be combined with '@Inverse'",
            column: 15, fixIts: ["remove '@Inverse'"], fixed: "@Identity var city: City?"),
        DiagnosticCase(
            member: "@DeleteRule(.deny) @Indexed var city: City?",
            message: "'@DeleteRule' cannot be combined with '@Indexed'",
            column: 24, fixIts: ["remove '@Indexed'"],
            fixed: "@DeleteRule(.deny) var city: City?"),
        DiagnosticCase(
            member: "@Identity @MappedIgnored var code: String?",
            message: "'@Identity' cannot be combined with '@MappedIgnored'",
            column: 15, fixIts: ["remove '@MappedIgnored'"], fixed: "@Identity var code: String?"),
        DiagnosticCase(
            member: "@Identity var terminals: Set<Terminal>",
            message: "'terminals' cannot have '@Identity' because it is a collection; only an "
                + "attribute with one value can",
            column: 5, fixIts: ["remove '@Identity'"], fixed: "var terminals: Set<Terminal>"),
        DiagnosticCase(
            member: "@Indexed var terminals: [Terminal]",
            message: "'terminals' cannot have '@Indexed' because it is a collection; only an "
                + "attribute with one value can",
            column: 5, fixIts: ["remove '@Indexed'"], fixed: "var terminals: [Terminal]"),
        DiagnosticCase(
            member: "@MaximumLength(3) var number: Int?",
            message: "'number' cannot have a maximum length; only text can",
            column: 5, fixIts: ["remove '@MaximumLength'"], fixed: "var number: Int?"),
        DiagnosticCase(
            member: "@MaximumLength(0) var code: String",
            message: "the maximum length must be at least 1",
            column: 5),
        DiagnosticCase(
            member: "@DeleteRule(.cascade) var terminals: Set<Terminal> = [first]",
            message: "relationship 'terminals' cannot have a default value",
            column: 58),
        DiagnosticCase(
            member: "@MappedIgnored var cache: [Int]",
            message: "ignored property 'cache' requires a default value or an optional type",
            column: 24),
        DiagnosticCase(
            member: "@Identity static var code: String { \"\" }",
            message: "'@Identity' has no effect here: only stored instance properties are mapped",
            column: 5, fixIts: ["remove '@Identity'"], fixed: "static var code: String { \"\" }"),
        DiagnosticCase(
            member: "@Identity var code: String { \"\" }",
            message: "'@Identity' has no effect here: only stored instance properties are mapped",
            column: 5, fixIts: ["remove '@Identity'"], fixed: "var code: String { \"\" }"),
    ]

    @Test(arguments: cases) func reportsDiagnosticAndFixIt(_ diagnosticCase: DiagnosticCase) {
        expect(diagnosticCase, expands: false)
    }

    @Test func keepsClassWithDiagnosticCompilable() {
        expectDiagnostics(
            of: """
                @Entity final class Airport: ManagedObject {
                    let code: String
                    var city: City?
                }
                """,
            with: [
                DiagnosticSpec(
                    message: "constant 'code' cannot be managed", line: 2, column: 9,
                    fixIts: [FixItSpec(message: "change 'let' to 'var'")])
            ],
            expandsTo: """
                final class Airport: ManagedObject {
                    let code: String
                    var city: City?

                    required init(_ binding: RestPersistence.ManagedObjectBinding) {
                        Swift.fatalError()
                    }

                    class var entity: RestPersistence.EntityDescription {
                        Swift.fatalError()
                    }

                    @discardableResult
                    static func insert(
                        into managedContext: RestPersistence.ManagedObjectContext,
                        code: String,
                        city: City? = nil
                    ) throws(RestPersistence.PersistenceError) -> Airport {
                        Swift.fatalError()
                    }

                    nonisolated struct Values: RestPersistence.ManagedValues {
                        typealias Object = Airport
                        let managedRow: RestPersistence.ManagedRow
                        init(managedRow: RestPersistence.ManagedRow) {
                            self.managedRow = managedRow
                        }
                        var code: String {
                            Swift.fatalError()
                        }
                        struct Fields: RestPersistence.ManagedFields {
                            init() {
                            }
                            var city: RestPersistence.ManagedField<City?> {
                            .init(1)
                        }
                        }
                    }
                }

                nonisolated extension Airport: RestPersistence.ManagedEntity {
                }
                """)
    }
}

extension DiagnosticCase {
    /// Creates a case for the only member of an entity.
    fileprivate init(
        member: String, message: String, column: Int, more: [Int] = [], fixIts: [String] = [],
        fixed: String? = nil, applied: String? = nil
    ) {
        func entity(_ member: String) -> String {
            "@Entity final class Airport: ManagedObject {\n    \(member)\n}"
        }
        self.init(
            source: entity(member), message: message, line: 2, column: column, more: more,
            fixIts: fixIts, fixed: fixed.map(entity), applied: applied)
    }
}
#endif
