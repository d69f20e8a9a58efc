// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestMacroExpansion
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private enum MappedMacro: MappedExpansion {}
private enum EntityMacro: EntityExpansion {}
private enum ManagedPropertyMacro: ManagedPropertyExpansion {}
private enum PropertyMarkerMacro: PropertyMarkerExpansion {}

/// The macros with the conformances that the library declares.
private let specifications: [String: MacroSpec] = [
    "Mapped": MacroSpec(type: MappedMacro.self, conformances: ["RestMapping.Mapped"]),
    "MappedKey": MacroSpec(type: PropertyMarkerMacro.self),
    "MappedTransform": MacroSpec(type: PropertyMarkerMacro.self),
    "MappedPolicy": MacroSpec(type: PropertyMarkerMacro.self),
    "MappedIgnored": MacroSpec(type: PropertyMarkerMacro.self),
    "Entity": MacroSpec(type: EntityMacro.self, conformances: ["RestPersistence.ManagedEntity"]),
    "Identity": MacroSpec(type: PropertyMarkerMacro.self),
    "Inverse": MacroSpec(type: PropertyMarkerMacro.self),
    "Indexed": MacroSpec(type: PropertyMarkerMacro.self),
    "MaximumLength": MacroSpec(type: PropertyMarkerMacro.self),
    "DeleteRule": MacroSpec(type: PropertyMarkerMacro.self),
    "Renamed": MacroSpec(type: PropertyMarkerMacro.self),
    "Reference": MacroSpec(type: PropertyMarkerMacro.self),
    "Connected": MacroSpec(type: PropertyMarkerMacro.self),
    "Searchable": MacroSpec(type: PropertyMarkerMacro.self),
    "ManagedProperty": MacroSpec(type: ManagedPropertyMacro.self),
]

/// Expects that a source expands to exactly another one.
///
/// - Parameters:
///   - source: The source with attributes.
///   - conforms: A Boolean value that indicates whether the type already conforms to the macro's
///     protocol, as a subclass does.
///   - expanded: The expected expansion.
///   - diagnostics: The expected diagnostics.
///   - sourceLocation: The location of issues.
func expectExpansion(
    of source: String, conforms: Bool = false, to expanded: String,
    diagnostics: [DiagnosticSpec] = [], sourceLocation: SourceLocation = #_sourceLocation
) {
    var specifications = specifications
    if conforms { specifications["Mapped"] = MacroSpec(type: MappedMacro.self) }
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: specifications,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

/// An invalid declaration with its expected diagnostic.
struct DiagnosticCase: Sendable, CustomTestStringConvertible {
    let source: String
    let message: String
    let line: Int
    let column: Int
    /// The columns of the same diagnostic at other places of the line.
    var more: [Int] = []
    var fixIts: [String] = []
    /// The source after applying a fix-it: `applied`, or the first one.
    var fixed: String?
    var applied: String?

    var testDescription: String { source }
}

/// Expects the diagnostic, no generated code, and the result of the fix-it.
///
/// With `expands: false` the code that `@Entity` generates in spite of the diagnostic is not compared.
func expect(
    _ diagnosticCase: DiagnosticCase, expands: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectDiagnostics(
        of: diagnosticCase.source,
        with: ([diagnosticCase.column] + diagnosticCase.more).map { column in
            DiagnosticSpec(
                message: diagnosticCase.message, line: diagnosticCase.line, column: column,
                fixIts: diagnosticCase.fixIts.map { FixItSpec(message: $0) })
        },
        expands: expands,
        applying: diagnosticCase.applied ?? diagnosticCase.fixIts.first,
        givesSource: diagnosticCase.fixed,
        sourceLocation: sourceLocation)
}

/// Expects that a source has these diagnostics and that its attributes generate no code, or the given
/// code; that of `@Mapped` is not compared.
func expectDiagnostics(
    of source: String, with diagnostics: [DiagnosticSpec], expandsTo expanded: String? = nil,
    expands: Bool = true, applying fixIt: String? = nil, givesSource fixed: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var specifications = specifications
    specifications["Mapped"] = MacroSpec(
        type: DiagnosticsMacro<MappedMacro>.self, conformances: ["RestMapping.Mapped"])
    if !expands { specifications["Entity"] = MacroSpec(type: DiagnosticsMacro<EntityMacro>.self) }
    assertMacroExpansion(
        source, expandedSource: expanded ?? source.withoutMacroAttributes,
        diagnostics: diagnostics, macroSpecs: specifications,
        applyFixIts: fixIt.map { [$0] }, fixedSource: fixed,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

extension String {
    /// The source without the attributes of macros.
    fileprivate var withoutMacroAttributes: String {
        let attribute =
            #/@(Mapped(\(.*?\))?|MappedKey\(.*?"?\)|MappedTransform\(.*?\)|MappedIgnored|Entity(\(.*?\))?|Identity|Inverse\(.*?\)|Indexed|Searchable|Reference(\(.*?\))?|Connected\(.*?\)|Renamed\(.*?\)|MaximumLength\(.*?\)|DeleteRule\(.*?\)) /#
        return replacing(attribute, with: "")
    }
}
#endif
