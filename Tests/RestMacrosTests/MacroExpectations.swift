// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import RestMacros

/// The macros as the library declares them.
private let specifications: [String: MacroSpec] = [
    "Mapped": MacroSpec(type: MappedMacro.self, conformances: ["RestMapping.Mapped"]),
    "MappedKey": MacroSpec(type: PropertyMarkerMacro.self),
    "MappedTransform": MacroSpec(type: PropertyMarkerMacro.self),
    "MappedPolicy": MacroSpec(type: PropertyMarkerMacro.self),
    "MappedIgnored": MacroSpec(type: PropertyMarkerMacro.self),
    "Entity": MacroSpec(type: EntityMacro.self, conformances: ["RestPersistence.ManagedEntity"]),
    "Identity": MacroSpec(type: PropertyMarkerMacro.self),
    "Inverse": MacroSpec(type: PropertyMarkerMacro.self),
    "ManagedProperty": MacroSpec(type: ManagedPropertyMacro.self),
]

/// Expects that a source expands to exactly another one; `conforms` tells that the type conforms
/// to the protocol of its macro already, as a subclass does.
func expectExpansion(
    of source: String, conforms: Bool = false, to expanded: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var specifications = specifications
    if conforms { specifications["Mapped"] = MacroSpec(type: MappedMacro.self) }
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: specifications,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

/// A declaration with one mistake, what is said about it and where.
struct Mistake: Sendable, CustomTestStringConvertible {
    let source: String
    let message: String
    let line: Int
    let column: Int
    var fixIts: [String] = []
    /// What applying a fix-it makes of the source: the first one if not said otherwise.
    var fixed: String?
    var applied: String?

    var testDescription: String { source }
}

/// Expects that a mistake is reported, generates nothing, and is repaired by its fix-it.
func expect(_ mistake: Mistake, sourceLocation: SourceLocation = #_sourceLocation) {
    expectRefusal(
        of: mistake.source,
        with: [
            DiagnosticSpec(
                message: mistake.message, line: mistake.line, column: mistake.column,
                fixIts: mistake.fixIts.map { FixItSpec(message: $0) })
        ],
        applying: mistake.applied ?? mistake.fixIts.first, givesSource: mistake.fixed,
        sourceLocation: sourceLocation)
}

/// Expects that a source is refused with these notes and that its attributes generate nothing.
func expectRefusal(
    of source: String, with diagnostics: [DiagnosticSpec],
    applying fixIt: String? = nil, givesSource fixed: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: source.withoutMacros, diagnostics: diagnostics,
        macroSpecs: specifications,
        applyFixIts: fixIt.map { [$0] }, fixedSource: fixed,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

extension String {
    /// The source with the attributes that are expanded taken out, and nothing put in.
    fileprivate var withoutMacros: String {
        let attribute =
            #/@(Mapped(\(.*?\))?|MappedKey\(.*?"?\)|MappedTransform\(.*?\)|MappedIgnored|Entity(\(.*?\))?|Identity|Inverse\(.*?\)) /#
        return replacing(attribute, with: "")
    }
}
#endif
