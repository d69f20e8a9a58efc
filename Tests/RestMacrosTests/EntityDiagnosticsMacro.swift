// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

@testable import RestMacros

/// The diagnostics of `@Entity` without its expansion, which a class with diagnostics has as well.
enum EntityDiagnosticsMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        _ = try EntityMacro.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
        return []
    }
}
#endif
