// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

@testable import RestMacros

/// The diagnostics of `@Mapped`, without the members of a refused type.
enum MappedDiagnosticsMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        _ = try MappedMacro.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
        return []
    }
}
#endif
