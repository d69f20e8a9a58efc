// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct EntityDiagnosticTests {
    static let mistakes: [Mistake] = [
        Mistake(
            source: "@Entity struct Airport {\n}",
            message: "'@Entity' works on subclasses of 'ManagedObject', not on a struct",
            line: 1, column: 9),
        Mistake(
            source: "@Entity(keys: style) final class Airport: ManagedObject {\n}",
            message: "the style of the keys must be one of '.asDeclared', '.snakeCase', "
                + "'.kebabCase', '.pascalCase'",
            line: 1, column: 15),
        Mistake(
            source: "@Entity class Airport: ManagedObject {\n}",
            message: "'@Entity' needs the class 'Airport' to be final",
            line: 1, column: 9, fixIts: ["add 'final'"],
            fixed: "@Entity final class Airport: ManagedObject {\n}"),
        Mistake(
            source: "@Entity final class Airport {\n}",
            message: "entity 'Airport' must inherit from 'ManagedObject'",
            line: 1, column: 21, fixIts: ["inherit from 'ManagedObject'"],
            fixed: "@Entity final class Airport: ManagedObject {\n}"),
        Mistake(
            source: "@Entity final class Airport: Named {\n}",
            message: "entity 'Airport' must inherit from 'ManagedObject'",
            line: 1, column: 21, fixIts: ["inherit from 'ManagedObject'"],
            fixed: "@Entity final class Airport: ManagedObject, Named {\n}"),
        Mistake(
            source: "@Entity final class Airport<Code>: ManagedObject {\n}",
            message: "entity 'Airport' cannot be generic: it is one table",
            line: 1, column: 28),
        Mistake(
            member: "var name = makeName()",
            message: "property 'name' needs a type annotation",
            column: 9, fixIts: ["add ': <#Type#>'"], fixed: "var name: <#Type#> = makeName()"),
        Mistake(
            member: "let name: String",
            message: "constant 'name' cannot be managed",
            column: 9, fixIts: ["make it 'var'"], fixed: "var name: String"),
        Mistake(
            member: "var name: String = \"\" { didSet {} }",
            message: "managed property 'name' cannot have observers",
            column: 27),
        Mistake(
            member: "var terminals: [Terminal]",
            message: "'terminals' cannot be an array; a relationship to many objects is a 'Set'",
            column: 20, fixIts: ["write 'Set<Terminal>'"], fixed: "var terminals: Set<Terminal>"),
        Mistake(
            member: "@Inverse(\\City.mayor) var name: String?",
            message: "'name' is no relationship and has no inverse: a relationship is an optional "
                + "or a 'Set' of entities",
            column: 5, fixIts: ["remove '@Inverse'"], fixed: "var name: String?"),
        Mistake(
            member: "@Inverse(\\City.airports) var city: City",
            message: "'city' is no relationship and has no inverse: a relationship is an optional "
                + "or a 'Set' of entities",
            column: 5, fixIts: ["remove '@Inverse'", "write 'City?'"],
            fixed: "@Inverse(\\City.airports) var city: City?", applied: "write 'City?'"),
        Mistake(
            member: "@Inverse(\\.airport) var terminals: Set<Terminal>",
            message: "the inverse must be a key path with its type, such as '\\Terminal.airport', "
                + "or a property's name",
            column: 14),
        Mistake(
            member: "@Inverse(\\Airport.partners) var partners: Set<Airport>",
            message: "a relationship that is its own inverse says so by name: "
                + "'@Inverse(\"partners\")'",
            column: 14, fixIts: ["write '\"partners\"'"],
            fixed: "@Inverse(\"partners\") var partners: Set<Airport>"),
        Mistake(
            member: "@Identity @Inverse(\\City.mayor) var city: City?",
            message: "'@Identity' and '@Inverse' exclude each other",
            column: 15, fixIts: ["remove '@Inverse'"], fixed: "@Identity var city: City?"),
        Mistake(
            member: "@Identity @MappedIgnored var code: String?",
            message: "'@Identity' and '@MappedIgnored' exclude each other",
            column: 15, fixIts: ["remove '@MappedIgnored'"], fixed: "@Identity var code: String?"),
        Mistake(
            member: "@Identity var terminals: Set<Terminal>",
            message: "relationship 'terminals' cannot identify an object; only attributes do",
            column: 5, fixIts: ["remove '@Identity'"], fixed: "var terminals: Set<Terminal>"),
        Mistake(
            member: "var terminals: Set<Terminal> = [first]",
            message: "relationship 'terminals' cannot have a default value",
            column: 36),
        Mistake(
            member: "@MappedIgnored var cache: [Int]",
            message: "ignored property 'cache' needs a default value or an optional type",
            column: 24),
        Mistake(
            member: "@Identity static var code: String { \"\" }",
            message: "'@Identity' has no effect here: only stored instance properties are mapped",
            column: 5, fixIts: ["remove '@Identity'"], fixed: "static var code: String { \"\" }"),
    ]

    @Test(arguments: mistakes) func isReportedWhereItIs(_ mistake: Mistake) {
        expect(mistake)
    }
}

extension Mistake {
    /// A mistake in the only member of an entity.
    fileprivate init(
        member: String, message: String, column: Int, fixIts: [String] = [],
        fixed: String? = nil, applied: String? = nil
    ) {
        func entity(_ member: String) -> String {
            "@Entity final class Airport: ManagedObject {\n    \(member)\n}"
        }
        self.init(
            source: entity(member), message: message, line: 2, column: column, fixIts: fixIts,
            fixed: fixed.map(entity), applied: applied)
    }
}
#endif
