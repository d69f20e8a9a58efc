// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// The `@Mapped` macro: generates a property table, a draft that collects values, and the
/// conformance.
///
/// Code that repeats a type as written goes into the type's body, where its names resolve as in the
/// property's declaration. An extension of a nested type does not see the members of the outer type.
///
/// A refused type gets the same members without its properties, so that uses of the type bring no
/// further errors.
package protocol MappedExpansion: MemberMacro, ExtensionMacro {}

extension MappedExpansion {
    /// The emitted code is formatted: formatting takes most of the time of an expansion.
    package static var formatMode: FormatMode { .disabled }

    package static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var diagnostics: [Diagnostic] = []
        let mapped = MappedDeclaration.parse(
            declaration, attribute: node, conforms: protocols.isEmpty, in: context.lexicalContext,
            diagnostics: &diagnostics)
        diagnostics.forEach(context.diagnose)
        guard let mapped else { return [] }

        let initializer = InitializerEmitter(mapped)
        let members =
            PropertyTableEmitter(mapped).members + [WritingEmitter(mapped, in: context).syntax]
        switch mapped.construction {
        case .structure, .emptyInitializer:
            return members + [DraftEmitter(mapped).syntax]
        case .designatedInitializer:
            return members + [DraftEmitter(mapped).syntax, initializer.syntax]
        case .superclass:
            return members + InheritableDraftEmitter(mapped).members + [initializer.syntax]
                + [initializer.replacement].compactMap(\.self)
        case .subclass(_, let inheritsInitializer):
            return members + InheritableDraftEmitter(mapped).members
                + (inheritsInitializer ? [] : [initializer.syntax])
        }
    }

    package static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // The member role emits the diagnostics.
        var ignoredDiagnostics: [Diagnostic] = []
        guard
            let mapped = MappedDeclaration.parse(
                declaration, attribute: node, conforms: protocols.isEmpty,
                in: context.lexicalContext, diagnostics: &ignoredDiagnostics),
            mapped.superclass == nil
        else { return [] }

        let conformance = protocols.isEmpty ? "" : ": RestMapping.Mapped"
        let attributes = mapped.availability.map { "\($0.trimmedDescription)\n" }.joined()
        let initializer =
            mapped.construction == .structure
            ? "\(InitializerEmitter(mapped).syntax)\n".indented : ""
        let source: DeclSyntax = """
            \(raw: attributes)nonisolated extension \(type.trimmed)\(raw: conformance) {
            \(raw: initializer)}
            """
        return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}
#endif
