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
    "MappedIgnored": MacroSpec(type: PropertyMarkerMacro.self),
]

/// Expects that a source expands to exactly another one.
func expectExpansion(
    of source: String, to expanded: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: specifications,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

/// Expects that a source is refused, generates nothing, and is repaired by the given fix-it.
func expectRefusal(
    of source: String, leaving rest: String, with diagnostics: [DiagnosticSpec],
    applying fixIt: String? = nil, givesSource fixed: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: rest, diagnostics: diagnostics, macroSpecs: specifications,
        applyFixIts: fixIt.map { [$0] }, fixedSource: fixed,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}
#endif
