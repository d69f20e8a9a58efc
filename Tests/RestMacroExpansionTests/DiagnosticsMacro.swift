// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// The diagnostics of a macro without the members that it generates for a refused type as well.
enum DiagnosticsMacro<Expansion: MemberMacro>: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        _ = try Expansion.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
        return []
    }
}
#endif
