// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct EntityDeclarationTests {
    static let cases: [DiagnosticCase] = [
        DiagnosticCase(
            source: "@Entity struct Airport {\n}",
            message:
                "'@Entity' can only be applied to subclasses of 'ManagedObject', not to a struct",
            line: 1, column: 9),
        DiagnosticCase(
            source: "@Entity(keys: style) final class Airport: ManagedObject {\n}",
            message: "the key style must be one of '.asDeclared', '.snakeCase', "
                + "'.kebabCase', '.pascalCase'",
            line: 1, column: 15),
        DiagnosticCase(
            source: "@Entity class Airport: ManagedObject {\n}",
            message: "'@Entity' requires class 'Airport' to be final",
            line: 1, column: 9, fixIts: ["add 'final'"],
            fixed: "@Entity final class Airport: ManagedObject {\n}"),
        DiagnosticCase(
            source: "@Entity final class Airport {\n}",
            message: "entity 'Airport' must inherit from 'ManagedObject'",
            line: 1, column: 21, fixIts: ["inherit from 'ManagedObject'"],
            fixed: "@Entity final class Airport: ManagedObject {\n}"),
        DiagnosticCase(
            source: "@Entity final class Airport: Named {\n}",
            message: "entity 'Airport' must inherit from 'ManagedObject'",
            line: 1, column: 21, fixIts: ["inherit from 'ManagedObject'"],
            fixed: "@Entity final class Airport: ManagedObject, Named {\n}"),
        DiagnosticCase(
            source: "@Entity final class Airport<Code>: ManagedObject {\n}",
            message: "entity 'Airport' cannot be generic because it is one table",
            line: 1, column: 28),
        DiagnosticCase(
            member: "var name = makeName()",
            message: "property 'name' requires a type annotation",
            column: 9, fixIts: ["add ': <#Type#>'"], fixed: "var name: <#Type#> = makeName()"),
        DiagnosticCase(
            member: "let name: String",
            message: "constant 'name' cannot be managed",
            column: 9, fixIts: ["change 'let' to 'var'"], fixed: "var name: String"),
        DiagnosticCase(
            member: "var name: String = \"\" { didSet {} }",
            message: "managed property 'name' cannot have observers",
            column: 27),
        DiagnosticCase(
            member: "var terminals: [Terminal]",
            message: "'terminals' cannot be an array; a relationship to many objects is a 'Set'",
            column: 20, fixIts: ["replace with 'Set<Terminal>'"],
            fixed: "var terminals: Set<Terminal>"),
        DiagnosticCase(
            member: "@Inverse(\\City.mayor) var name: String?",
            message: "'name' cannot have an inverse because it is not a relationship, which is an "
                + "optional or a 'Set' of entities",
            column: 5, fixIts: ["remove '@Inverse'"], fixed: "var name: String?"),
        DiagnosticCase(
            member: "@Inverse(\\City.airports) var city: City",
            message: "'city' cannot have an inverse because it is not a relationship, which is an "
                + "optional or a 'Set' of entities",
            column: 5, fixIts: ["remove '@Inverse'", "replace with 'City?'"],
            fixed: "@Inverse(\\City.airports) var city: City?", applied: "replace with 'City?'"),
        DiagnosticCase(
            member: "@Inverse(\\.airport) var terminals: Set<Terminal>",
            message: "the inverse must be a key path with a root type, such as "
                + "'\\Terminal.airport', or the name of a property",
            column: 14),
        DiagnosticCase(
            member: "@Inverse(\\Airport.partners) var partners: Set<Airport>",
            message: "a relationship that is its own inverse must use its name: "
                + "'@Inverse(\"partners\")'",
            column: 14, fixIts: ["replace with '\"partners\"'"],
            fixed: "@Inverse(\"partners\") var partners: Set<Airport>"),
        DiagnosticCase(
            member: "@Identity @Inverse(\\City.mayor) var city: City?",
            message: "'@Identity' cannot be combined with '@Inverse'",
            column: 15, fixIts: ["remove '@Inverse'"], fixed: "@Identity var city: City?"),
        DiagnosticCase(
            member: "@Identity @MappedIgnored var code: String?",
            message: "'@Identity' cannot be combined with '@MappedIgnored'",
            column: 15, fixIts: ["remove '@MappedIgnored'"], fixed: "@Identity var code: String?"),
        DiagnosticCase(
            member: "@Identity var terminals: Set<Terminal>",
            message: "relationship 'terminals' cannot identify an object; only an attribute can",
            column: 5, fixIts: ["remove '@Identity'"], fixed: "var terminals: Set<Terminal>"),
        DiagnosticCase(
            member: "var terminals: Set<Terminal> = [first]",
            message: "relationship 'terminals' cannot have a default value",
            column: 36),
        DiagnosticCase(
            member: "@MappedIgnored var cache: [Int]",
            message: "ignored property 'cache' requires a default value or an optional type",
            column: 24),
        DiagnosticCase(
            member: "@Identity static var code: String { \"\" }",
            message: "'@Identity' has no effect here: only stored instance properties are mapped",
            column: 5, fixIts: ["remove '@Identity'"], fixed: "static var code: String { \"\" }"),
    ]

    @Test(arguments: cases) func reportsDiagnosticAndFixIt(_ diagnosticCase: DiagnosticCase) {
        expect(diagnosticCase)
    }
}

extension DiagnosticCase {
    /// Creates a case for the only member of an entity.
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
