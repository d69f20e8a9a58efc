// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// The `@Entity` macro: generates an entity's description, a function that inserts an object, a
/// structure with the values of an object, and accessors in place of stored properties.
package protocol EntityExpansion: MemberMacro, MemberAttributeMacro, ExtensionMacro {}

extension EntityExpansion {
    /// Returns the class's declaration without diagnostics, which the member role emits.
    private static func entity(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
        _ context: some MacroExpansionContext
    ) -> EntityDeclaration? {
        var ignoredDiagnostics: [Diagnostic] = []
        return EntityDeclaration.parse(
            declaration, attribute: node, in: context.lexicalContext,
            diagnostics: &ignoredDiagnostics)
    }

    package static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var diagnostics: [Diagnostic] = []
        let entity = EntityDeclaration.parse(
            declaration, attribute: node, in: context.lexicalContext, diagnostics: &diagnostics)
        diagnostics.forEach(context.diagnose)
        guard let entity else {
            return declaration.is(ClassDeclSyntax.self)
                ? [RefusedEntityEmitter.initializer(isRequired: false, access: "")] : []
        }
        let description =
            entity.isRefused
            ? RefusedEntityEmitter(entity).members : [EntityEmitter(entity).syntax]
        return description + [InsertEmitter(entity).syntax].compactMap(\.self)
            + [ValuesEmitter(entity, LookupEmitter(entity, in: context)).syntax]
    }

    package static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self),
            let entity = entity(declaration, node, context), !entity.isRefused,
            let index = entity.index(of: variable)
        else { return [] }
        let suffix = entity.superentity == nil ? "" : ", inSubentity: true"
        return ["@RestPersistence.ManagedProperty(\(raw: index)\(raw: suffix))"]
    }

    package static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard !protocols.isEmpty, let entity = entity(declaration, node, context),
            entity.superentity == nil
        else { return [] }
        let attributes = entity.availability.map { "\($0.trimmedDescription)\n" }.joined()
        let source: DeclSyntax = """
            \(raw: attributes)nonisolated extension \(type.trimmed): RestPersistence.ManagedEntity {
            }
            """
        return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}
#endif
