// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The `@Entity` macro: generates an entity's description, a function that inserts an object, a
/// structure with the values of an object, and accessors in place of stored properties.
enum EntityMacro {
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
}

extension EntityMacro: MemberMacro {
    static func expansion(
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
            + [ValuesEmitter(entity).syntax]
    }
}

extension EntityMacro: MemberAttributeMacro {
    static func expansion(
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
}

extension EntityMacro: ExtensionMacro {
    static func expansion(
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

/// The `@ManagedProperty` macro, which `@Entity` adds: generates the accessors of one property.
enum ManagedPropertyMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        let arguments = node.labeledArguments
        guard let position = arguments.first?.expression else { return [] }
        let index = arguments.count == 1 ? "\(position)" : "Values.propertyOffset + \(position)"
        return [
            """
            get {
                self.managedValue(\(raw: index))
            }
            """,
            """
            set {
                self.setManagedValue(\(raw: index), newValue)
            }
            """,
        ]
    }
}
#endif
