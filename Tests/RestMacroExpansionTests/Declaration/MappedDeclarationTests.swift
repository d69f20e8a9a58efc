// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct MappedDeclarationTests {
    static let cases: [DiagnosticCase] = [
        DiagnosticCase(
            source: "@Mapped enum Status {\n    case open\n}",
            message: "'@Mapped' can only be applied to structs and classes, not to an enum",
            line: 1, column: 9),
        DiagnosticCase(
            source: "@Mapped actor Worker {\n    var id = 0\n}",
            message: "'@Mapped' can only be applied to structs and classes, not to an actor",
            line: 1, column: 9),
        DiagnosticCase(
            source: "@Mapped protocol Named {\n    var name: String { get }\n}",
            message: "'@Mapped' can only be applied to structs and classes, not to a protocol",
            line: 1, column: 9),
        DiagnosticCase(
            source: "@Mapped @MainActor struct Article {\n    var id: Int\n}",
            message: "'@Mapped' runs outside of the main actor, to which 'Article' is isolated",
            line: 1, column: 9),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    var tags = makeTags()\n}",
            message: "property 'tags' requires a type annotation",
            line: 2, column: 9, fixIts: ["add ': <#Type#>'"]),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    var author = Author.anonymous()\n}",
            message: "property 'author' requires a type annotation",
            line: 2, column: 9, fixIts: ["add ': <#Type#>'"],
            fixed: "@Mapped struct Article {\n    var author: <#Type#> = Author.anonymous()\n}"),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    var (width, height) = (1, 2)\n}",
            message: "a tuple pattern cannot be mapped; declare one property per value",
            line: 2, column: 9),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    #if os(Linux)\n    var id: Int\n    #endif\n}",
            message:
                "a stored property inside '#if' cannot be mapped; move it out of the condition",
            line: 3, column: 5),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    let id = 1\n}",
            message: "constant 'id' has an initial value and cannot be mapped",
            line: 2, column: 9, fixIts: ["change 'let' to 'var'", "add '@MappedIgnored'"],
            fixed: "@Mapped struct Article {\n    var id = 1\n}"),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedIgnored var cache: [Int]\n}",
            message: "ignored property 'cache' requires a default value or an optional type",
            line: 2, column: 24),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a\") @MappedIgnored var a: Int?\n}",
            message: "'@MappedKey' cannot be combined with '@MappedIgnored'",
            line: 2, column: 21, fixIts: ["remove '@MappedIgnored'"],
            fixed: "@Mapped struct Article {\n    @MappedKey(\"a\") var a: Int?\n}"),
        DiagnosticCase(
            source:
                "@Mapped struct Article {\n    @MappedKey(\"a\") @MappedKey(\"b\") var a: Int?\n}",
            message: "'@MappedKey' is repeated",
            line: 2, column: 21, fixIts: ["remove '@MappedKey'"]),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a\") var a: Int { 1 }\n}",
            message: "'@MappedKey' has no effect here: only stored instance properties are mapped",
            line: 2, column: 5, fixIts: ["remove '@MappedKey'"],
            fixed: "@Mapped struct Article {\n    var a: Int { 1 }\n}"),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedIgnored static let shared = 1\n}",
            message:
                "'@MappedIgnored' has no effect here: only stored instance properties are mapped",
            line: 2, column: 5, fixIts: ["remove '@MappedIgnored'"]),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(key) var a: Int\n}",
            message: "the source key must be a string literal without interpolation",
            line: 2, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a\\(1)\") var a: Int\n}",
            message: "the source key must be a string literal without interpolation",
            line: 2, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    var a: Int\n    enum Draft {}\n}",
            message: "'@Mapped' generates 'Draft', which this type already declares",
            line: 3, column: 10),
        DiagnosticCase(
            source: "@Mapped struct Draft {\n    var title: String\n}",
            message:
                "'@Mapped' generates a type with the name 'Draft' in this type, which hides it "
                + "there; rename this type",
            line: 1, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    var Draft: Int\n}",
            message: "'@Mapped' generates 'Draft', which this type already declares",
            line: 2, column: 9),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    static let properties = [1]\n}",
            message: "'@Mapped' generates 'properties', which this type already declares",
            line: 2, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    var letter: [Draft]\n}",
            message:
                "the type of 'letter' is shadowed by the generated type 'Draft'; qualify it with "
                + "the module or type that declares it",
            line: 2, column: 17),
        DiagnosticCase(
            source: """
                @Mapped struct Article {
                    private struct State {
                    }
                    private var state: State?
                }
                """,
            message: "the generated draft cannot store 'state', whose type 'State' is private",
            line: 4, column: 17, fixIts: ["change 'private' to 'fileprivate'"],
            fixed: """
                @Mapped struct Article {
                    fileprivate struct State {
                    }
                    private var state: State?
                }
                """),
        DiagnosticCase(
            source: "@Mapped(keys: style) struct Article {\n    var id: Int\n}",
            message: "the key style must be one of '.asDeclared', '.snakeCase', "
                + "'.kebabCase', '.pascalCase'",
            line: 1, column: 15),
        DiagnosticCase(
            source: "@Mapped class Article: Base {\n    var id = 0\n}",
            message:
                "class 'Article' must declare 'init()', which Swift no longer synthesizes because "
                + "'@Mapped' adds an initializer",
            line: 1, column: 15,
            fixIts: [
                "add 'init()' if the class has no superclass",
                "add 'override init()' if the class has a superclass",
            ],
            fixed: """
                @Mapped class Article: Base {
                    var id = 0

                    init() {}
                }
                """),
        DiagnosticCase(
            source: "@Mapped class Article: Base {\n    var id = 0\n}",
            message:
                "class 'Article' must declare 'init()', which Swift no longer synthesizes because "
                + "'@Mapped' adds an initializer",
            line: 1, column: 15,
            fixIts: [
                "add 'init()' if the class has no superclass",
                "add 'override init()' if the class has a superclass",
            ],
            fixed: """
                @Mapped class Article: Base {
                    var id = 0

                    override init() { super.init() }
                }
                """,
            applied: "add 'override init()' if the class has a superclass"),
        DiagnosticCase(
            source: """
                @Mapped struct Article {
                    @MappedTransform(.trimmed) @MappedIgnored var title: String?
                }
                """,
            message: "'@MappedTransform' cannot be combined with '@MappedIgnored'",
            line: 2, column: 32, fixIts: ["remove '@MappedIgnored'"],
            fixed: """
                @Mapped struct Article {
                    @MappedTransform(.trimmed) var title: String?
                }
                """),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    let number = 1\n}",
            message: "constant 'number' has an initial value and cannot be mapped",
            line: 2, column: 9, fixIts: ["change 'let' to 'var'", "add '@MappedIgnored'"],
            fixed: "@Mapped struct Article {\n    @MappedIgnored let number = 1\n}",
            applied: "add '@MappedIgnored'"),
        // This initializer returns an optional.
        DiagnosticCase(
            source: "@Mapped struct Article {\n    var page = URL(string: \"a\")\n}",
            message: "property 'page' requires a type annotation",
            line: 2, column: 9, fixIts: ["add ': <#Type#>'"],
            fixed: "@Mapped struct Article {\n    var page: <#Type#> = URL(string: \"a\")\n}"),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a[\") var a: Int\n}",
            message: "the source key is not a path: it requires ']' after '['",
            line: 2, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a[b]\") var a: Int\n}",
            message: "the source key is not a path: it requires the position of an element in "
                + "brackets, or '\\\\[' for a bracket in a key",
            line: 2, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a..b\") var a: Int\n}",
            message: "the source key is not a path: it requires a key",
            line: 2, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a]\") var a: Int\n}",
            message: "the source key is not a path: it requires '\\\\]' for a bracket in a key",
            line: 2, column: 16),
        DiagnosticCase(
            source: "@Mapped struct Article {\n    @MappedKey(\"a[0]b\") var a: Int\n}",
            message: "the source key is not a path: it requires '.' or '['",
            line: 2, column: 16),
    ]

    @Test(arguments: cases) func reportsDiagnosticAndFixIt(_ diagnosticCase: DiagnosticCase) {
        expect(diagnosticCase)
    }

    @Test func reportsMarkerWithoutProperty() {
        expectDiagnostics(
            of: "@MappedKey(\"id\") func identify() {}",
            with: [
                DiagnosticSpec(
                    message: "'@MappedKey' can only be applied to a property", line: 1, column: 1)
            ])
    }

    @Test func reportsAllDiagnostics() {
        expectDiagnostics(
            of: "@Mapped @MainActor class A {\n    let a = 1\n    var b = c()\n}",
            with: [
                DiagnosticSpec(
                    message: "'@Mapped' runs outside of the main actor, to which 'A' is isolated",
                    line: 1,
                    column: 9),
                DiagnosticSpec(
                    message: "constant 'a' has an initial value and cannot be mapped", line: 2,
                    column: 9,
                    fixIts: [
                        FixItSpec(message: "change 'let' to 'var'"),
                        FixItSpec(message: "add '@MappedIgnored'"),
                    ]),
                DiagnosticSpec(
                    message: "property 'b' requires a type annotation", line: 3, column: 9,
                    fixIts: [FixItSpec(message: "add ': <#Type#>'")]),
            ])
    }
}
#endif
