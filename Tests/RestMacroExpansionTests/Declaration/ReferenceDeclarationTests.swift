// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The diagnostics of references, of former names and of searchable attributes.
@Suite struct ReferenceDeclarationTests {
    static let cases: [DiagnosticCase] = [
        DiagnosticCase(
            property: "@Reference var name: String",
            message:
                "'name' cannot have '@Reference' because it is not a relationship, which is an "
                + "optional, an array or a 'Set' of entities",
            column: 5, fixIts: ["remove '@Reference'"], fixed: "var name: String"),
        DiagnosticCase(
            property: "@Connected(\"city_code\") var code: Int?",
            message:
                "'code' cannot have '@Connected' because it is not a relationship, which is an "
                + "optional, an array or a 'Set' of entities",
            column: 5, fixIts: ["remove '@Connected'"], fixed: "var code: Int?"),
        DiagnosticCase(
            property: "@Reference var city: City",
            message:
                "'city' cannot have '@Reference' unless it is optional, because the object of a "
                + "to-one relationship may be missing",
            column: 5, fixIts: ["replace with 'City?'", "remove '@Reference'"],
            fixed: "@Reference var city: City?"),
        DiagnosticCase(
            property: "@Connected(\"city_code\") var city: City",
            message:
                "'city' cannot have '@Connected' unless it is optional, because the object of a "
                + "to-one relationship may be missing",
            column: 5, fixIts: ["replace with 'City?'", "remove '@Connected'"],
            fixed: "@Connected(\"city_code\") var city: City?"),
        DiagnosticCase(
            property: "@Reference(by: \\.code) var city: City?",
            message:
                "the attribute of the destination must be a key path with a root type, such as "
                + "'\\City.code'",
            column: 20, fixIts: ["replace with '\\City.code'"],
            fixed: "@Reference(by: \\City.code) var city: City?"),
        DiagnosticCase(
            property: "@Connected(\"codes\", by: \\.code) var cities: Set<City>",
            message:
                "the attribute of the destination must be a key path with a root type, such as "
                + "'\\City.code'",
            column: 29, fixIts: ["replace with '\\City.code'"],
            fixed: "@Connected(\"codes\", by: \\City.code) var cities: Set<City>"),
        DiagnosticCase(
            property: "@Reference(by: \\Town.code) var city: City?",
            message: "the key path must begin with 'City', the type of the destination of 'city', "
                + "not with 'Town'",
            column: 20, fixIts: ["replace with '\\City.code'"],
            fixed: "@Reference(by: \\City.code) var city: City?"),
        DiagnosticCase(
            property: "@Connected(\"a\") @Reference var city: City?",
            message: "'@Connected' cannot be combined with '@Reference'",
            column: 21, fixIts: ["remove '@Reference'"],
            fixed: "@Connected(\"a\") var city: City?"),
        DiagnosticCase(
            property: "@MappedKey(\"b\") @Connected(\"a\") var city: City?",
            message: "'@MappedKey' cannot be combined with '@Connected'",
            column: 21, fixIts: ["remove '@Connected'"],
            fixed: "@MappedKey(\"b\") var city: City?"),
        DiagnosticCase(
            property: "@Identity @Reference var city: City?",
            message: "'@Identity' cannot be combined with '@Reference'",
            column: 15, fixIts: ["remove '@Reference'"], fixed: "@Identity var city: City?"),
        DiagnosticCase(
            property: "@MappedTransform(t) @Reference var city: City?",
            message: "'@MappedTransform' cannot be combined with '@Reference'",
            column: 25, fixIts: ["remove '@Reference'"],
            fixed: "@MappedTransform(t) var city: City?"),
        DiagnosticCase(
            property: "@MappedAssignment(.replace) var name: String",
            message:
                "'name' cannot have '@MappedAssignment' because it is not a relationship, which is an "
                + "optional, an array or a 'Set' of entities",
            column: 5, fixIts: ["remove '@MappedAssignment'"], fixed: "var name: String"),
        DiagnosticCase(
            property: "@Reference @Reference var city: City?",
            message: "'@Reference' is repeated",
            column: 16, fixIts: ["remove '@Reference'"], fixed: "@Reference var city: City?"),
        DiagnosticCase(
            property: "@Connected(\"\") var city: City?",
            message: "the source key must not be empty", column: 16),
        DiagnosticCase(
            property: "@Connected(key) var city: City?",
            message: "the source key must be a string literal without interpolation", column: 16),
        DiagnosticCase(
            property: "@Reference var city: City? { nil }",
            message: "'@Reference' has no effect here: only stored instance properties are mapped",
            column: 5, fixIts: ["remove '@Reference'"], fixed: "var city: City? { nil }"),
        DiagnosticCase(
            property: "@Searchable var isOpen: Bool?",
            message: "'isOpen' cannot be searchable; only text, numbers and JSON values have words",
            column: 5, fixIts: ["remove '@Searchable'"], fixed: "var isOpen: Bool?"),
        DiagnosticCase(
            property: "@Searchable @Inverse(\\City.airports) var city: City?",
            message: "'@Searchable' cannot be combined with '@Inverse'",
            column: 17, fixIts: ["remove '@Inverse'"], fixed: "@Searchable var city: City?"),
        DiagnosticCase(
            property: "@Searchable static var title: String { \"\" }",
            message: "'@Searchable' has no effect here: only stored instance properties are mapped",
            column: 5, fixIts: ["remove '@Searchable'"],
            fixed: "static var title: String { \"\" }"),
        DiagnosticCase(
            property: "@Renamed() var title: String",
            message: "'@Renamed' requires the name of the property in an earlier version: "
                + "'@Renamed(from: \"title\")'",
            column: 5, fixIts: ["remove '@Renamed'"], fixed: "var title: String"),
        DiagnosticCase(
            property: "@Renamed(from: \"name\", \"title\") var title: String",
            message: "'title' is the current name of the property; '@Renamed' lists the names that "
                + "it had in earlier versions",
            column: 28),
        DiagnosticCase(
            property: "@Renamed(from: \"name\") static var title: String { \"\" }",
            message: "'@Renamed' has no effect here: only stored instance properties are mapped",
            column: 5, fixIts: ["remove '@Renamed'"], fixed: "static var title: String { \"\" }"),
        DiagnosticCase(
            property: "@Renamed(from: \"a\") @MappedIgnored var title: String = \"\"",
            message: "'@Renamed' cannot be combined with '@MappedIgnored'",
            column: 25, fixIts: ["remove '@MappedIgnored'"],
            fixed: "@Renamed(from: \"a\") var title: String = \"\""),
    ]

    @Test(arguments: cases) func reportsDiagnosticAndFixIt(_ diagnosticCase: DiagnosticCase) {
        expect(diagnosticCase, expands: false)
    }
}

extension DiagnosticCase {
    /// Creates a case for the only property of an entity.
    fileprivate init(
        property: String, message: String, column: Int, fixIts: [String] = [], fixed: String? = nil
    ) {
        func entity(_ property: String) -> String {
            "@Entity final class Airport: ManagedObject {\n    \(property)\n}"
        }
        self.init(
            source: entity(property), message: message, line: 2, column: column, fixIts: fixIts,
            fixed: fixed.map(entity))
    }
}
#endif
