// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct MappedDiagnosticTests {
    static let mistakes: [Mistake] = [
        Mistake(
            source: "@Mapped enum Status {\n    case open\n}",
            message: "'@Mapped' works on structs and classes, not on an enum",
            line: 1, column: 9),
        Mistake(
            source: "@Mapped actor Worker {\n    var id = 0\n}",
            message: "'@Mapped' works on structs and classes, not on an actor",
            line: 1, column: 9),
        Mistake(
            source: "@Mapped protocol Named {\n    var name: String { get }\n}",
            message: "'@Mapped' works on structs and classes, not on a protocol",
            line: 1, column: 9),
        Mistake(
            source: "@Mapped @MainActor struct Article {\n    var id: Int\n}",
            message: "'@Mapped' works off the main actor, which 'Article' is bound to",
            line: 1, column: 9),
        Mistake(
            source: "@Mapped struct Article {\n    var tags = makeTags()\n}",
            message: "property 'tags' needs a type annotation",
            line: 2, column: 9, fixIts: ["add ': <#Type#>'"]),
        Mistake(
            source: "@Mapped struct Article {\n    var author = Author.init()\n}",
            message: "property 'author' needs a type annotation",
            line: 2, column: 9, fixIts: ["add ': <#Type#>'"],
            fixed: "@Mapped struct Article {\n    var author: <#Type#> = Author.init()\n}"),
        Mistake(
            source: "@Mapped struct Article {\n    var (width, height) = (1, 2)\n}",
            message: "a tuple pattern cannot be mapped; declare one property per value",
            line: 2, column: 9),
        Mistake(
            source: "@Mapped struct Article {\n    #if os(Linux)\n    var id: Int\n    #endif\n}",
            message:
                "a stored property inside '#if' cannot be mapped; move it out of the condition",
            line: 3, column: 5),
        Mistake(
            source: "@Mapped struct Article {\n    let id = 1\n}",
            message: "constant 'id' has its value already and cannot be mapped",
            line: 2, column: 9, fixIts: ["make it 'var'", "add '@MappedIgnored'"],
            fixed: "@Mapped struct Article {\n    var id = 1\n}"),
        Mistake(
            source: "@Mapped struct Article {\n    @MappedIgnored var cache: [Int]\n}",
            message: "ignored property 'cache' needs a default value or an optional type",
            line: 2, column: 24),
        Mistake(
            source: "@Mapped struct Article {\n    @MappedKey(\"a\") @MappedIgnored var a: Int?\n}",
            message: "'@MappedKey' and '@MappedIgnored' exclude each other",
            line: 2, column: 21, fixIts: ["remove '@MappedIgnored'"],
            fixed: "@Mapped struct Article {\n    @MappedKey(\"a\") var a: Int?\n}"),
        Mistake(
            source:
                "@Mapped struct Article {\n    @MappedKey(\"a\") @MappedKey(\"b\") var a: Int?\n}",
            message: "'@MappedKey' is given twice",
            line: 2, column: 21, fixIts: ["remove '@MappedKey'"]),
        Mistake(
            source: "@Mapped struct Article {\n    @MappedKey(\"a\") var a: Int { 1 }\n}",
            message: "'@MappedKey' has no effect here: only stored instance properties are mapped",
            line: 2, column: 5, fixIts: ["remove '@MappedKey'"],
            fixed: "@Mapped struct Article {\n    var a: Int { 1 }\n}"),
        Mistake(
            source: "@Mapped struct Article {\n    @MappedIgnored static let shared = 1\n}",
            message:
                "'@MappedIgnored' has no effect here: only stored instance properties are mapped",
            line: 2, column: 5, fixIts: ["remove '@MappedIgnored'"]),
        Mistake(
            source: "@Mapped struct Article {\n    @MappedKey(key) var a: Int\n}",
            message: "the source key must be a string literal without interpolation",
            line: 2, column: 16),
        Mistake(
            source: "@Mapped struct Article {\n    @MappedKey(\"a\\(1)\") var a: Int\n}",
            message: "the source key must be a string literal without interpolation",
            line: 2, column: 16),
        Mistake(
            source: "@Mapped struct Article {\n    @MappedKey(\"\") var a: Int\n}",
            message: "the source key must not be empty",
            line: 2, column: 16),
        Mistake(
            source: "@Mapped struct Article {\n    var a: Int\n    enum Draft {}\n}",
            message: "'@Mapped' generates 'Draft', which this type declares itself",
            line: 3, column: 10),
        Mistake(
            source: "@Mapped struct Article {\n    var Draft: Int\n}",
            message: "'@Mapped' generates 'Draft', which this type declares itself",
            line: 2, column: 9),
        Mistake(
            source: "@Mapped struct Article {\n    static let properties = [1]\n}",
            message: "'@Mapped' generates 'properties', which this type declares itself",
            line: 2, column: 16),
        Mistake(
            source: "@Mapped struct Article {\n    var letter: [Draft]\n}",
            message:
                "the type of 'letter' is hidden by the generated type 'Draft'; write it with the "
                + "module or type it is declared in",
            line: 2, column: 17),
        Mistake(
            source: """
                @Mapped struct Article {
                    private struct State {
                    }
                    private var state: State?
                }
                """,
            message: "the generated draft cannot hold 'state', whose type 'State' is private",
            line: 4, column: 17, fixIts: ["make it 'fileprivate'"],
            fixed: """
                @Mapped struct Article {
                    fileprivate struct State {
                    }
                    private var state: State?
                }
                """),
        Mistake(
            source: "@Mapped(keys: style) struct Article {\n    var id: Int\n}",
            message: "the style of the keys must be one of '.asDeclared', '.snakeCase', "
                + "'.kebabCase', '.pascalCase'",
            line: 1, column: 15),
        Mistake(
            source: "@Mapped class Article: Base {\n    var id = 0\n}",
            message: "class 'Article' needs an initializer: '@Mapped' adds one, so Swift no longer "
                + "writes 'init()'",
            line: 1, column: 15,
            fixIts: ["add 'init()', for a protocol", "add 'override init()', for a superclass"],
            fixed: """
                @Mapped class Article: Base {
                    var id = 0

                    init() {}
                }
                """),
        Mistake(
            source: "@Mapped class Article: Base {\n    var id = 0\n}",
            message: "class 'Article' needs an initializer: '@Mapped' adds one, so Swift no longer "
                + "writes 'init()'",
            line: 1, column: 15,
            fixIts: ["add 'init()', for a protocol", "add 'override init()', for a superclass"],
            fixed: """
                @Mapped class Article: Base {
                    var id = 0

                    override init() { super.init() }
                }
                """,
            applied: "add 'override init()', for a superclass"),
        Mistake(
            source: """
                @Mapped struct Article {
                    @MappedTransform(.trimmed) @MappedIgnored var title: String?
                }
                """,
            message: "'@MappedTransform' and '@MappedIgnored' exclude each other",
            line: 2, column: 32, fixIts: ["remove '@MappedIgnored'"],
            fixed: """
                @Mapped struct Article {
                    @MappedTransform(.trimmed) var title: String?
                }
                """),
        Mistake(
            source: "@Mapped struct Article {\n    let number = 1\n}",
            message: "constant 'number' has its value already and cannot be mapped",
            line: 2, column: 9, fixIts: ["make it 'var'", "add '@MappedIgnored'"],
            fixed: "@Mapped struct Article {\n    @MappedIgnored let number = 1\n}",
            applied: "add '@MappedIgnored'"),
        Mistake(
            source: "@Mapped struct Article {\n    var tags = [String]()\n}",
            message: "property 'tags' needs a type annotation",
            line: 2, column: 9, fixIts: ["add ': [String]'"],
            fixed: "@Mapped struct Article {\n    var tags: [String] = [String]()\n}"),
        Mistake(
            source: "@Mapped struct Article {\n    var author = Author(name: \"\")\n}",
            message: "property 'author' needs a type annotation",
            line: 2, column: 9, fixIts: ["add ': Author'"],
            fixed: "@Mapped struct Article {\n    var author: Author = Author(name: \"\")\n}"),
    ]

    @Test(arguments: mistakes) func isReportedWhereItIs(_ mistake: Mistake) {
        expect(mistake)
    }

    @Test func markerOffAPropertyIsReported() {
        expectRefusal(
            of: "@MappedKey(\"id\") func identify() {}",
            with: [
                DiagnosticSpec(
                    message: "'@MappedKey' belongs on a property", line: 1, column: 1)
            ])
    }

    @Test func everyMistakeIsReportedAtOnce() {
        expectRefusal(
            of: "@Mapped @MainActor class A {\n    let a = 1\n    var b = c()\n}",
            with: [
                DiagnosticSpec(
                    message: "'@Mapped' works off the main actor, which 'A' is bound to", line: 1,
                    column: 9),
                DiagnosticSpec(
                    message: "constant 'a' has its value already and cannot be mapped", line: 2,
                    column: 9,
                    fixIts: [
                        FixItSpec(message: "make it 'var'"),
                        FixItSpec(message: "add '@MappedIgnored'"),
                    ]),
                DiagnosticSpec(
                    message: "property 'b' needs a type annotation", line: 3, column: 9,
                    fixIts: [FixItSpec(message: "add ': <#Type#>'")]),
            ])
    }
}
#endif
